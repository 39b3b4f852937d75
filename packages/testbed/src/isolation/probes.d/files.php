<?php
// The other site's tree, and what its code left outside of it.
foreach ( $other['files'] as $label => $path ) {
	probe( "read: $label", 'file_get_contents', $path, $own['files'][ $label ] ?? null );
}
foreach ( array_keys( $other['folders'] ) as $label ) {
	on_both( "list: $label", fn( $site ) => scandir( $site['folders'][ $label ] ) );
}
on_both( 'see that the tree exists', fn( $site ) => file_exists( "{$site['home']}/current" ) );
on_both( 'list with glob://', fn( $site ) => iterator_count( new DirectoryIterator( "glob://{$site['home']}/*" ) ) ?: null );
on_both( 'enter the tree', fn( $site ) => chdir( "{$site['home']}/shared" ) );
on_both( 'open by an exec of cat', fn( $site ) => run( "cat -- {$site['files']['uploads']}" ) );
on_both( 'show the source of a script', fn( $site ) => highlight_file( $site['script'], true ) );
on_both( 'include a script', fn( $site ) => ( include $site['script'] ) );

on_both( 'write: a new upload', fn( $site ) => file_put_contents( "{$site['home']}/shared/uploads/new.txt", 'x' ) );
on_both( 'write: append to an upload', fn( $site ) => file_put_contents( $site['files']['uploads'], 'x', FILE_APPEND ) );
on_both( 'write: append to a script', fn( $site ) => file_put_contents( $site['script'], "\n", FILE_APPEND ) );
on_both( 'write: a session of an invented id', fn( $site ) => file_put_contents( "{$site['home']}/tmp/sessions/sess_invented", 'admin|b:1;' ) );
on_both( 'write: the PHP error log', fn( $site ) => file_put_contents( "{$site['home']}/logs/php-error.log", 'x', FILE_APPEND ) );
on_both( 'make a directory', fn( $site ) => mkdir( "{$site['home']}/shared/uploads/made" ) && rmdir( "{$site['home']}/shared/uploads/made" ) );
on_both( 'rename a file', fn( $site ) => rename( "{$site['home']}/shared/uploads/spare.txt", "{$site['home']}/shared/uploads/renamed.txt" ) );
on_both( 'change a mode', fn( $site ) => chmod( $site['files']['uploads'], 0644 ) );
on_both( 'change a time', fn( $site ) => touch( $site['files']['uploads'], 1 ) );
on_both( 'hard link to an upload', fn( $site ) => link( $site['files']['uploads'], $host['link_dir'] . '/hard-' . $site['user'] . '.txt' ) );
on_both( 'delete a file', fn( $site ) => unlink( "{$site['home']}/shared/exports/spare.txt" ) );
on_both(
	'read a session by its id',
	function ( $site ) {
		session_id( "session-{$site['mark']}" );
		session_start( array( 'read_and_close' => true ) );
		return $_SESSION['secret'] ?? null;
	}
);
on_both(
	'use the session folder as session.save_path',
	function ( $site ) {
		ini_set( 'session.save_path', "{$site['home']}/tmp/sessions" );
		session_id( "session-{$site['mark']}" );
		session_start( array( 'read_and_close' => true ) );
		return $_SESSION['secret'] ?? null;
	}
);
foreach ( array( '/tmp', '/var/tmp', '/dev/shm' ) as $folder ) {
	on_both( "read: a file it left in $folder", fn( $site ) => file_get_contents( "$folder/planted-{$site['mark']}" ) );
}

// Nothing of these has a counterpart that a site may reach.
foreach ( $host['closed_files'] as $label => $path ) {
	probe( "read: $label", fn( $file ) => file_get_contents( $file ), $path );
	probe( "write: $label", fn( $file ) => fopen( $file, 'ab' ) && true, $path );
}
foreach ( $host['closed_folders'] as $label => $path ) {
	probe( "list: $label", fn( $folder ) => scandir( $folder ), $path );
	probe( "write into: $label", fn( $folder ) => file_put_contents( "$folder/planted.conf", 'x' ), $path );
}
foreach ( $host['read_only'] as $label => $path ) {
	if ( ! is_link( $path ) ) {
		probe( "write: $label", fn( $file ) => ( is_dir( $file ) ? file_put_contents( "$file/planted.php", 'x' ) : fopen( $file, 'ab' ) ) && true, $path );
	}
	probe( "replace: $label", fn( $file ) => rename( $file, "$file.old" ), $path );
}
