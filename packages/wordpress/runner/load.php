<?php
/**
 * What has to be in place before wp-load.php runs: the request WordPress believes in, and hooks that keep it
 * from sending mail or opening connections. WordPress adopts hooks that wait in $wp_filter
 * (WP_Hook::build_preinitialized_hooks).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

function reeve_prepare( array $request, string $load, bool $network, Reeve_Answer $answer ): void {
	$release = isset( $request['release'] ) ? $request['release'] : null;
	$host    = isset( $request['host'] ) ? $request['host'] : null;
	if ( ! is_string( $release ) || '' === $release || '/' !== $release[0] || ! is_file( $release . '/wp-load.php' ) ) {
		$answer->fail( 'The release holds no wp-load.php.' );
	}
	if ( ! is_string( $host ) || ! preg_match( '/^[a-z0-9.-]+$/', $host ) ) {
		$answer->fail( 'The host of the request is not a host name.' );
	}
	$https = ! empty( $request['https'] );
	$port  = isset( $request['port'] ) && is_int( $request['port'] ) ? $request['port'] : ( $https ? 443 : 80 );
	reeve_pretend_request( $host, $https, $port );
	if ( 'events' !== $load ) {
		reeve_hook_before_load( 'pre_wp_mail', '__return_true' );
	}
	if ( ! $network ) {
		reeve_hook_before_load( 'pre_http_request', 'reeve_refuse_http' );
	}
	if ( 'install' === $load ) {
		define( 'WP_INSTALLING', true );
	}
	if ( 'events' === $load ) {
		define( 'DOING_CRON', true );
	} elseif ( ! defined( 'DISABLE_WP_CRON' ) ) {
		// A cron run started from here would run the site's jobs inside a panel command.
		reeve_hook_before_load( 'pre_get_ready_cron_jobs', '__return_empty_array' );
	}
	chdir( $release );
}

function reeve_pretend_request( string $host, bool $https, int $port ): void {
	$usual   = $https ? 443 : 80;
	$_SERVER = array_merge(
		$_SERVER,
		array(
			'HTTP_HOST'       => $port === $usual ? $host : "$host:$port",
			'SERVER_NAME'     => $host,
			'SERVER_PORT'     => (string) $port,
			'REQUEST_URI'     => '/',
			'REQUEST_METHOD'  => 'GET',
			'SERVER_PROTOCOL' => 'HTTP/1.1',
			'REMOTE_ADDR'     => '127.0.0.1',
			'PHP_SELF'        => '/index.php',
			'SCRIPT_NAME'     => '/index.php',
		)
	);
	if ( $https ) {
		$_SERVER['HTTPS'] = 'on';
	}
}

function reeve_hook_before_load( string $hook, string $callback ): void {
	$GLOBALS['wp_filter'][ $hook ][ PHP_INT_MAX ][ $callback ] = array(
		'function'      => $callback,
		'accepted_args' => 1,
	);
}

function reeve_refuse_http() {
	return new WP_Error( 'http_request_not_executed', 'Panel commands open no connections.' );
}
