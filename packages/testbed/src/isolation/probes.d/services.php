<?php
// Sockets, the database server, the object cache and the panel's port.
$socket = fn( $path ) => fclose( stream_socket_client( "unix://$path", $code, $message, 2 ) ?: throw new RuntimeException( $message ) );
probe( "socket: the other site's PHP", $socket, $other['fpm_socket'], $host['redis_socket'] );
// Even its own: whoever talks FastCGI chooses the script and the settings.
probe( "socket: the site's own PHP", $socket, $own['fpm_socket'] );
probe( 'socket: the agent', $socket, $host['agent_socket'] );
probe( "socket: PHP-FPM's placeholder", $socket, $host['placeholder_socket'] );

$ask_port = function ( array $at ) {
	$stream = stream_socket_client( "tcp://{$at['address']}", $code, $message, 2 );
	fwrite( $stream, "GET /healthz HTTP/1.1\r\nHost: {$at['host']}\r\nConnection: close\r\n\r\n" );
	return stream_get_contents( $stream, 1 );
};
probe(
	'panel port: any byte of an answer',
	$ask_port,
	array( 'address' => $host['panel'], 'host' => $host['panel'] ),
	array( 'address' => $host['web'], 'host' => $own['domain'] )
);
probe( 'panel port: with the address of the proxy forged', fn( $address ) => file_get_contents( "http://$address/api/bootstrap", false, stream_context_create( array( 'http' => array( 'header' => "X-Forwarded-For: 203.0.113.9\r\nX-Reeve-Proxy: guess", 'ignore_errors' => true ) ) ) ), $host['panel'] );
probe( 'panel port: from a child process', fn( $address ) => run( 'curl --silent --fail --max-time 2 http://' . $address . '/healthz' ), $host['panel'] );

// Sent and hung up at once, so that the panel looks for an owner when there is none any more. Whether it was heard
// is seen in the audit log by the caller.
for ( $count = 0; $count < 60; $count++ ) {
	$body   = json_encode( array( 'email' => $host['blind_email'], 'password' => 'x' ) );
	$stream = stream_socket_client( "tcp://{$host['panel']}", $code, $message, 2 );
	if ( $stream ) {
		@fwrite( $stream, "POST /api/login HTTP/1.1\r\nHost: {$host['panel']}\r\nOrigin: http://{$host['panel']}\r\nContent-Type: application/json\r\nContent-Length: " . strlen( $body ) . "\r\n\r\n$body" );
		fclose( $stream );
	}
}

function database( array $site, ?string $user = null, ?string $password = null, ?string $name = null ): mysqli {
	$link = mysqli_init();
	$link->options( MYSQLI_OPT_CONNECT_TIMEOUT, 2 );
	$link->options( MYSQLI_OPT_LOCAL_INFILE, 1 );
	$access = $site['database'];
	if ( ! @$link->real_connect( 'localhost', $user ?? $access['user'], $password ?? $access['password'], $name ?? $access['name'], 0, $access['socket'] ) ) {
		throw new RuntimeException( (string) mysqli_connect_error() );
	}
	return $link;
}
function rows( mysqli $link, string $sql ) {
	$answer = $link->query( $sql );
	if ( false === $answer ) {
		throw new RuntimeException( $link->error );
	}
	return true === $answer ? true : $answer->fetch_all();
}
$ours = fn( string $sql ) => rows( database( $GLOBALS['own'] ), $sql );
$name = fn( $site ) => $site['database']['name'];

on_both( 'database: read a table', fn( $site ) => $ours( "SELECT * FROM `{$name( $site )}`.planted" ) );
on_both( 'database: write a table', fn( $site ) => $ours( "INSERT INTO `{$name( $site )}`.planted VALUES ('x')" ) );
on_both( 'database: make a table', fn( $site ) => $ours( "CREATE TABLE `{$name( $site )}`.made (a INT)" ) );
on_both( 'database: connect to it', fn( $site ) => rows( database( $own, null, null, $site['database']['name'] ), 'SELECT 1' ) );
on_both( 'database: USE', fn( $site ) => $ours( "USE `{$name( $site )}`" ) );
on_both( 'database: list databases', fn( $site ) => $ours( "SHOW DATABASES LIKE '{$name( $site )}'" ) );
on_both( 'database: list tables in information_schema', fn( $site ) => $ours( "SELECT table_name FROM information_schema.tables WHERE table_schema = '{$name( $site )}'" ) );
on_both( 'database: list privileges in information_schema', fn( $site ) => $ours( "SELECT * FROM information_schema.schema_privileges WHERE table_schema = REPLACE('{$name( $site )}', '_', '\\\\_')" ) );
on_both( 'database: see connections', fn( $site ) => $ours( "SELECT * FROM information_schema.processlist WHERE user = '{$site['database']['user']}'" ) );
on_both( 'database: show grants', fn( $site ) => $ours( "SHOW GRANTS FOR '{$site['database']['user']}'@'localhost'" ) );
on_both( 'database: a view on a table', fn( $site ) => $ours( "CREATE OR REPLACE VIEW spy AS SELECT * FROM `{$name( $site )}`.planted" ) );
on_both( 'database: kill a connection', fn( $site ) => $ours( "KILL CONNECTION {$site['connection']}" ) );
probe( 'database: a database whose name fits the grant as a pattern', fn( $database ) => $ours( "SELECT * FROM `$database`.planted" ), $host['lookalike_database'] );
probe( 'database: the other account without a password', fn( $site ) => rows( database( $site, null, '' ), 'SELECT 1' ), $other );
probe( 'database: the other account with our password', fn( $site ) => rows( database( $site, null, $GLOBALS['own']['database']['password'] ), 'SELECT 1' ), $other, $own );
probe( 'database: root by the socket', fn( $site ) => rows( database( $site, 'root', '', 'mysql' ), 'SELECT 1' ), $own );
probe( 'database: mysql by the socket', fn( $site ) => rows( database( $site, 'mysql', '', 'mysql' ), 'SELECT 1' ), $own );
probe( 'database: an anonymous account', fn( $site ) => rows( database( $site, '', '', '' ), 'SELECT 1' ), $own );
foreach (
	array(
		'read the accounts'                   => 'SELECT User, authentication_string FROM mysql.user',
		'read the global privileges'          => 'SELECT * FROM mysql.global_priv',
		'make an account'                     => "CREATE USER 'planted'@'localhost'",
		'grant itself everything'             => "GRANT ALL ON *.* TO '{$own['database']['user']}'@'localhost'",
		'make a database'                     => 'CREATE DATABASE planted',
		'set a global variable'               => 'SET GLOBAL general_log = 1',
		'load a library'                      => "CREATE FUNCTION planted RETURNS STRING SONAME 'planted.so'",
		'install a plugin'                    => "INSTALL SONAME 'auth_socket'",
		'a view in the name of root'          => "CREATE DEFINER = 'root'@'localhost' VIEW rooted AS SELECT * FROM mysql.user",
		'read a file of the host'             => "SELECT * FROM (SELECT LOAD_FILE('/etc/passwd') AS f) AS t WHERE f IS NOT NULL",
		'write a file of the host'            => "SELECT 'x' INTO OUTFILE '/tmp/planted-outfile'",
		'dump a file of the host'             => "SELECT 'x' INTO DUMPFILE '{$other['home']}/shared/uploads/planted.php'",
		'load a file of the server'           => "LOAD DATA INFILE '/etc/passwd' INTO TABLE planted",
		'load a file of the client'           => "LOAD DATA LOCAL INFILE '{$other['files']['uploads']}' INTO TABLE planted",
		'see the files of the server'         => 'SELECT * FROM information_schema.innodb_sys_tablespaces',
		'shut the server down'                => 'SHUTDOWN',
	) as $label => $sql
) {
	probe( "database: $label", fn( $statement ) => $ours( $statement ), $sql );
}

function object_cache( array $site, ?string $user = null, ?string $password = null ): Redis {
	$access = $site['redis'];
	$redis  = new Redis();
	$redis->connect( $access['socket'], 0, 1, null, 0, 1 );
	if ( ! $redis->auth( array( $user ?? $access['user'], $password ?? $access['password'] ) ) ) {
		throw new RuntimeException( 'not signed in' );
	}
	return $redis;
}
function command( Redis $redis, array $words ) {
	$redis->clearLastError();
	$answer = $redis->rawCommand( ...$words );
	if ( null !== $redis->getLastError() ) {
		throw new RuntimeException( $redis->getLastError() );
	}
	return $answer;
}
$word = fn( array $words ) => command( object_cache( $GLOBALS['own'] ), $words );
on_both( 'object cache: GET', fn( $site ) => $word( array( 'GET', "{$site['user']}:planted" ) ) );
on_both( 'object cache: MGET', fn( $site ) => array_filter( $word( array( 'MGET', "{$site['user']}:planted" ) ) ) );
on_both( 'object cache: SET', fn( $site ) => $word( array( 'SET', "{$site['user']}:written", 'x' ) ) );
on_both( 'object cache: UNLINK', fn( $site ) => $word( array( 'UNLINK', "{$site['user']}:spare" ) ) );
probe( 'object cache: GET of a key whose site only begins like ours', fn( $key ) => $word( array( 'GET', $key ) ), "{$own['user']}0:planted" );
probe( 'object cache: the other account without a password', fn( $site ) => object_cache( $site, null, '' )->get( "{$site['user']}:planted" ), $other );
probe( 'object cache: the other account with our password', fn( $site ) => object_cache( $site, null, $GLOBALS['own']['redis']['password'] )->get( "{$site['user']}:planted" ), $other, $own );
probe( 'object cache: the default account', fn( $site ) => object_cache( $site, 'default', '' )->ping(), $own );
probe(
	'object cache: no account at all',
	function ( $site ) {
		$redis = new Redis();
		$redis->connect( $site['redis']['socket'] );
		return command( $redis, array( 'GET', "{$site['user']}:planted" ) );
	},
	$other
);
$key = "{$other['user']}:planted";
foreach (
	array(
		'SCAN 0', 'KEYS *', 'RANDOMKEY', 'DBSIZE', "TYPE $key", "TTL $key", "EXISTS $key", "DUMP $key", "STRLEN $key", "OBJECT ENCODING $key",
		"MEMORY USAGE $key", "RENAME $key {$own['user']}:stolen", "COPY $key {$own['user']}:stolen", "GETDEL $key", "DEL $key", "EXPIRE $key 1",
		'SELECT 1', 'SWAPDB 0 1', 'FLUSHALL', 'FLUSHDB', 'CONFIG GET *', 'CONFIG SET dir /tmp', 'INFO', 'MONITOR', 'CLIENT LIST', 'CLIENT KILL TYPE normal',
		'ACL LIST', 'ACL USERS', "ACL SETUSER {$own['user']} +@all ~*", 'EVAL return(1) 0', 'FUNCTION LIST', 'SCRIPT LOAD return(1)', 'SUBSCRIBE planted', 'PUBLISH planted x',
		'SAVE', 'BGREWRITEAOF', 'DEBUG SLEEP 0', 'MODULE LIST', 'SLOWLOG GET', 'LATENCY LATEST', 'REPLICAOF 127.0.0.1 1', 'MIGRATE 127.0.0.1 1 x 0 1', 'SHUTDOWN NOSAVE',
	) as $text
) {
	probe( "object cache: $text", fn( $words ) => $word( $words ), explode( ' ', $text ) );
}

probe( 'crontab: plan a command', fn() => run( "sh -c 'echo \"* * * * * true\" | crontab -'" ), null );
probe( 'at: plan a command', fn() => run( "sh -c 'echo true | at now'" ), null );
