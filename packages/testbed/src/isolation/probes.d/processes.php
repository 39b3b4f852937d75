<?php
// Other users' processes, memory that pools share, and signals.
$strangers = array(
	"the other site's worker" => $other['pid'],
	'the agent'               => $host['agent_pid'],
	'the API'                 => $host['api_pid'],
	"PHP-FPM's master"        => posix_getppid(),
	'init'                    => 1,
);

probe(
	'see a process of another user in /proc',
	function () {
		$mine = posix_geteuid();
		$seen = array();
		foreach ( scandir( '/proc' ) as $name ) {
			if ( ctype_digit( $name ) && fileowner( "/proc/$name" ) !== $mine
				&& ! preg_match( "/^Uid:\t$mine\t/m", (string) file_get_contents( "/proc/$name/status" ) ) ) {
				$seen[] = $name;
			}
		}
		return $seen;
	},
	null
);
probe( 'see a process of another user with ps', fn( $pid ) => run( "ps -o pid= -p $pid" ), $other['pid'], '$$' );
foreach ( $strangers as $whose => $pid ) {
	foreach ( array( 'cmdline', 'status' ) as $file ) {
		probe( "/proc: $file of $whose", fn( $of ) => file_get_contents( "/proc/$of/$file" ), $pid, getmypid() );
	}
	foreach ( array( 'environ', 'maps', 'mem' ) as $file ) {
		probe( "/proc: $file of $whose", fn( $of ) => fopen( "/proc/$of/$file", 'rb' ) && true, $pid );
	}
	probe( "/proc: fd of $whose", fn( $of ) => scandir( "/proc/$of/fd" ), $pid );
	probe( "/proc: root of $whose", fn( $of ) => scandir( "/proc/$of/root/" ), $pid );
	probe( "/proc: cwd of $whose", fn( $of ) => scandir( "/proc/$of/cwd/" ), $pid );
	probe( "signal 0 to $whose", fn( $of ) => posix_kill( $of, 0 ), $pid, getmypid() );
	probe( "stop $whose", fn( $of ) => posix_kill( $of, SIGSTOP ), $pid );
	probe( "renice $whose", fn( $of ) => run( "renice -n 19 -p $of" ), $pid );
}

// ptrace(2) PTRACE_ATTACH on x86-64 and arm64; a page's child may trace its own child.
$number = 'x86_64' === php_uname( 'm' ) ? 101 : 117;
$attach = fn( $pid ) => run(
	"perl -e 'my \$pid = $pid; if (!\$pid) { \$pid = fork // die; if (!\$pid) { sleep 1; exit } }"
	. " my \$code = syscall($number, 16, \$pid, 0, 0); kill 9, \$pid if !$pid; exit(\$code == 0 ? 0 : 1)'"
);
probe( "ptrace the other site's worker", $attach, $other['pid'], 0 );
probe( "ptrace PHP-FPM's master", $attach, posix_getppid() );
// Workers share the compiled scripts of all sites in memory, so not even our own may be opened up.
probe( 'ptrace our own worker', $attach, getmypid() );
probe( "write to our own worker's memory", fn() => fopen( '/proc/self/mem', 'r+b' ) && true, null );
probe( 'call C from a page', fn() => FFI::cdef( 'int getpid(void);' )->getpid(), null );
probe( 'load an extension from a page', fn() => dl( 'sysvshm' ), null );
probe(
	'uncover the /proc below our own',
	fn( $of ) => run( "unshare --user --map-root-user --mount sh -c 'umount /proc && cat /proc/$of/cmdline'" ),
	$other['pid']
);
probe( 'enter the mount namespace of init', fn() => run( 'nsenter --target 1 --mount true' ), null );

probe( 'APCu: fetch a value', fn( $site ) => function_exists( 'apcu_fetch' ) ? apcu_fetch( "planted-{$site['mark']}" ) : null, $other );
probe( 'APCu: store a value for everybody', fn() => function_exists( 'apcu_store' ) && apcu_store( 'planted', 1 ), null );
probe( 'APCu: list keys', fn() => function_exists( 'apcu_cache_info' ) ? apcu_cache_info() : null, null );
probe( 'System V shared memory: read', fn( $site ) => shm_get_var( shm_attach( $site['key'] ), 1 ), $other );
probe( 'System V semaphore: take', fn( $site ) => sem_acquire( sem_get( $site['key'] ), true ), $other );
probe(
	'System V message queue: receive',
	function ( $site ) {
		msg_receive( msg_get_queue( $site['key'] ), 0, $type, 1000, $message, true, MSG_IPC_NOWAIT );
		return $message;
	},
	$other
);
probe( 'System V objects: list', fn() => preg_match( '/0x/', run( 'ipcs -a' ) ) ? 'listed' : null, null );

probe( 'opcode cache: status', fn() => opcache_get_status( true ), null );
probe( 'opcode cache: settings', fn() => opcache_get_configuration(), null );
probe( 'opcode cache: reset', fn() => opcache_reset(), null );
probe( 'opcode cache: invalidate a script', fn( $site ) => opcache_invalidate( $site['script'], true ), $other );
probe( 'opcode cache: ask for a script', fn( $site ) => opcache_is_script_cached( $site['script'] ), $other );
probe( 'opcode cache: compile a script', fn( $site ) => opcache_compile_file( $site['script'] ), $other );

probe( 'become root with su', fn() => run( 'su -s /bin/sh -c id root </dev/null' ), null );
probe( 'become the other site with su', fn( $site ) => run( "su -s /bin/sh -c id {$site['user']} </dev/null" ), $other, null );
probe( 'become root with sudo', fn() => run( 'sudo -n id' ), null );
probe( 'become root with setuid(2)', fn() => posix_setuid( 0 ), null );
probe( 'become the other site with setuid(2)', fn( $site ) => posix_setuid( $site['uid'] ), $other, $own );
probe( 'join the other site with setgid(2)', fn( $site ) => posix_setgid( $site['uid'] ), $other, $own );
probe( 'run as the panel with setpriv', fn() => run( 'setpriv --reuid=reeve true' ), null );
probe( 'mount a file system', fn() => run( 'mount -t tmpfs none /mnt' ), null );
