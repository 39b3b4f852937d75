<?php
/**
 * Installs WordPress into the database that wp-config.php names.
 *
 * Arguments: title, user, email, password (strings).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

return static function ( array $args ): array {
	foreach ( array( 'title', 'user', 'email', 'password' ) as $name ) {
		if ( ! isset( $args[ $name ] ) || ! is_string( $args[ $name ] ) || '' === $args[ $name ] ) {
			throw new InvalidArgumentException( "install needs the argument $name." );
		}
	}
	require_once ABSPATH . 'wp-admin/includes/upgrade.php';
	if ( is_blog_installed() ) {
		throw new RuntimeException( 'WordPress is already installed in this database.' );
	}
	$installed = wp_install( $args['title'], $args['user'], $args['email'], true, '', wp_slash( $args['password'] ) );
	if ( is_wp_error( $installed ) ) {
		throw new RuntimeException( $installed->get_error_message() );
	}
	// wp_install asks the site over HTTP whether permalinks work; the server in front always rewrites, so they do.
	update_option( 'permalink_structure', '/%postname%/' );
	// Taxonomies were registered while there was no structure; the next load makes the rules with all of them.
	delete_option( 'rewrite_rules' );
	update_option( 'timezone_string', 'UTC' );

	$theme = wp_get_theme();
	if ( ! $theme->exists() || $theme->errors() ) {
		throw new RuntimeException( 'The default theme ' . $theme->get_stylesheet() . ' is not in this release.' );
	}
	return array(
		'version' => $GLOBALS['wp_version'],
		'user_id' => (int) $installed['user_id'],
		'theme'   => $theme->get_stylesheet(),
	);
};
