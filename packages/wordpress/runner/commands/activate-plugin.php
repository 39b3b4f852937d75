<?php
/**
 * Activates an installed plugin with its activation hook.
 *
 * Arguments: plugin (its main file below the plugins directory, for example woocommerce/woocommerce.php).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

return static function ( array $args ): array {
	$plugin = isset( $args['plugin'] ) ? $args['plugin'] : null;
	if ( ! is_string( $plugin ) || 0 !== validate_file( $plugin ) || ! preg_match( '/\.php$/', $plugin ) ) {
		throw new InvalidArgumentException( 'activate-plugin needs the argument plugin, a file below the plugins directory.' );
	}
	require_once ABSPATH . 'wp-admin/includes/plugin.php';
	// Activation hooks may ask for the permissions of whoever activates.
	$administrators = get_users( array( 'role' => 'administrator', 'number' => 1, 'orderby' => 'ID', 'fields' => 'ID' ) );
	if ( $administrators ) {
		wp_set_current_user( (int) $administrators[0] );
	}
	$was_active = is_plugin_active( $plugin );
	$problem    = activate_plugin( $plugin );
	if ( is_wp_error( $problem ) ) {
		throw new RuntimeException( $problem->get_error_message() );
	}
	return array( 'plugin' => $plugin, 'changed' => ! $was_active );
};
