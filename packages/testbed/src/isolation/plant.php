<?php
// What a site's own code leaves behind while it works: a session, temporary files, shared memory, cached values.
// Everything is made the way a program makes it that does not think of its neighbours.
$input = json_decode( file_get_contents( 'php://input' ), true );
$home  = $input['home'];
$mark  = $input['mark'];

session_id( "session-$mark" );
session_start();
$_SESSION['secret'] = $mark;
session_write_close();

$files = array(
	"$home/shared/uploads/planted.txt",
	"$home/shared/exports/planted.txt",
	sys_get_temp_dir() . '/planted.txt',
	"/tmp/planted-$mark",
	"/var/tmp/planted-$mark",
	"/dev/shm/planted-$mark",
);
$written = array();
foreach ( $files as $file ) {
	$written[ $file ] = @file_put_contents( $file, $mark );
}
error_log( "planted $mark" );

$shared = array(
	'apcu' => function_exists( 'apcu_store' ) && apcu_store( "planted-$mark", $mark ),
	'shm'  => false,
	'sem'  => false,
	'msg'  => false,
);
if ( $segment = @shm_attach( $input['key'], 1000 ) ) {
	$shared['shm'] = shm_put_var( $segment, 1, $mark );
}
$shared['sem'] = (bool) @sem_get( $input['key'] );
if ( $queue = @msg_get_queue( $input['key'] ) ) {
	$shared['msg'] = @msg_send( $queue, 1, $mark );
}

echo json_encode(
	array(
		'pid'     => getmypid(),
		'written' => $written,
		'shared'  => $shared,
	)
);
