<?php
/**
 * What is installed and active.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

return static function (): array {
	require_once ABSPATH . 'wp-admin/includes/plugin.php';
	$plugins = array();
	foreach ( get_plugins() as $file => $data ) {
		$plugins[] = array(
			'file'    => (string) $file,
			'name'    => $data['Name'],
			'version' => $data['Version'],
			'active'  => is_plugin_active( $file ),
		);
	}
	$theme = wp_get_theme();
	return array(
		'version'              => $GLOBALS['wp_version'],
		'database_version'     => (int) get_option( 'db_version' ),
		'code_database_version' => (int) $GLOBALS['wp_db_version'],
		'php'                  => PHP_VERSION,
		'uid'                  => posix_getuid(),
		'url'                  => home_url(),
		'permalinks'           => (string) get_option( 'permalink_structure' ),
		'object_cache'         => (bool) wp_using_ext_object_cache(),
		'theme'                => array(
			'stylesheet' => $theme->get_stylesheet(),
			'version'    => (string) $theme->get( 'Version' ),
		),
		'plugins'              => $plugins,
	);
};
