<?php
// Runs inside one site and tries to reach another site and the panel. Every probe is a function of a target; where
// the site has the same thing itself, the probe must succeed there, so that a broken one does not pass for refused.
$input = json_decode( file_get_contents( 'php://input' ), true );
$own   = $input['own'];
$other = $input['other'];
$host  = $input['host'];
set_time_limit( 100 );
ini_set( 'default_socket_timeout', '2' );
mysqli_report( MYSQLI_REPORT_OFF );

$results = array();

/** @return array{reached: bool, detail: string} */
function attempt( callable $probe, $target ): array {
	error_clear_last();
	try {
		$got    = @$probe( $target );
		$detail = error_get_last()['message'] ?? '';
	} catch ( Throwable $error ) {
		$got    = false;
		$detail = $error->getMessage();
	}
	$reached = false !== $got && null !== $got && '' !== $got && array() !== $got;
	return array(
		'reached' => $reached,
		'detail'  => substr( $reached ? json_encode( $got, JSON_PARTIAL_OUTPUT_ON_ERROR ) : $detail, 0, 300 ),
	);
}

/** $control is the target where the probe must succeed, or null where no site may have that. */
function probe( string $name, callable $probe, $target, $control = null ): void {
	global $results;
	$with      = null === $control ? null : attempt( $probe, $control );
	$results[] = array( 'name' => $name, 'control' => $with ) + attempt( $probe, $target );
}

/** The same probe on the other site, and on our own as its control. */
function on_both( string $name, callable $probe ): void {
	global $own, $other;
	probe( $name, $probe, $other, $own );
}

function run( string $command ) {
	exec( "$command 2>&1", $lines, $code );
	if ( 0 !== $code ) {
		throw new RuntimeException( "exit $code: " . implode( ' ', $lines ) );
	}
	return implode( "\n", $lines ) . "\nexit 0";
}

foreach ( glob( __DIR__ . '/probes.d/*.php' ) as $part ) {
	require $part;
}

header( 'content-type: application/json' );
echo json_encode(
	array(
		'uid'          => posix_geteuid(),
		'open_basedir' => ini_get( 'open_basedir' ),
		'disabled'     => ini_get( 'disable_functions' ),
		'probes'       => $results,
	),
	JSON_PARTIAL_OUTPUT_ON_ERROR
);
