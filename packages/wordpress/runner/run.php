<?php
/**
 * Loads WordPress as the site's own user and does one named command through WordPress's functions.
 * Reads one JSON request from standard input, answers one marked JSON line on standard output.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( PHP_SAPI !== 'cli' ) {
	exit( 1 );
}

require __DIR__ . '/answer.php';
require __DIR__ . '/load.php';

/*
 * The whole of what can be asked. `load` says how much of WordPress the command needs:
 * `none`, `install` (the database may be empty), `full`, or `events`: all of it as wp-cron.php loads it, with mail.
 */
const REEVE_COMMANDS = array(
	'ping'             => array( 'file' => 'ping.php', 'load' => 'none', 'network' => false ),
	'install'          => array( 'file' => 'install.php', 'load' => 'install', 'network' => false ),
	'activate-plugin'  => array( 'file' => 'activate-plugin.php', 'load' => 'full', 'network' => false ),
	'first-visit'      => array( 'file' => 'first-visit.php', 'load' => 'full', 'network' => false ),
	'flush-permalinks' => array( 'file' => 'flush-permalinks.php', 'load' => 'full', 'network' => false ),
	'object-cache'     => array( 'file' => 'object-cache.php', 'load' => 'none', 'network' => false ),
	'run-due-events'   => array( 'file' => 'run-due-events.php', 'load' => 'events', 'network' => true ),
	'status'           => array( 'file' => 'status.php', 'load' => 'full', 'network' => false ),
);

/** Runs the request; its names stay out of the global scope that plugins see. */
function reeve_read_request() {
	$request = json_decode( (string) stream_get_contents( STDIN ), true );
	if ( ! is_array( $request ) || ! isset( $request['marker'] ) || ! is_string( $request['marker'] )
		|| ! preg_match( '/^[0-9a-f]{32,}$/', $request['marker'] ) ) {
		fwrite( STDERR, "The request on standard input is not a JSON object with a marker.\n" );
		exit( 2 );
	}
	return $request;
}

$reeve_request = reeve_read_request();
$reeve_answer  = new Reeve_Answer( $reeve_request['marker'] );
unset( $reeve_request['marker'] );

$reeve_name = isset( $reeve_request['command'] ) ? $reeve_request['command'] : null;
if ( ! is_string( $reeve_name ) || ! isset( REEVE_COMMANDS[ $reeve_name ] ) ) {
	$reeve_answer->fail( 'The runner has no such command.' );
}
$reeve_command = REEVE_COMMANDS[ $reeve_name ];
$reeve_args    = isset( $reeve_request['args'] ) && is_array( $reeve_request['args'] ) ? $reeve_request['args'] : array();

/*
 * WordPress is loaded here and not in a function, because plugins expect that the variables
 * of their main file are global.
 */
if ( 'none' !== $reeve_command['load'] ) {
	reeve_prepare( $reeve_request, $reeve_command['load'], $reeve_command['network'], $reeve_answer );
	require $reeve_request['release'] . '/wp-load.php';
}

$reeve_handler = require __DIR__ . '/commands/' . $reeve_command['file'];
try {
	$reeve_answer->succeed( $reeve_handler( $reeve_args ) );
} catch ( Throwable $reeve_problem ) {
	$reeve_answer->fail( $reeve_problem->getMessage() );
}
