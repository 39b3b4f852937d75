<?php
/**
 * Plugin Name: Reeve connector
 * Description: Hands finished pages to the server's page cache, and takes out of it what a change makes outdated.
 * Version: 1.1.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: GPL-2.0-or-later
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

// Only a loader: this file is reached through a link in mu-plugins, the code stays beside its target.
if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

if ( is_readable( __DIR__ . '/src/class-reeve-purger.php' ) ) {
	require_once __DIR__ . '/src/class-reeve-purger.php';
	require_once __DIR__ . '/src/class-reeve-purge-urls.php';
	require_once __DIR__ . '/src/class-reeve-purge-triggers.php';
	require_once __DIR__ . '/src/class-reeve-purge-site-triggers.php';
	require_once __DIR__ . '/src/class-reeve-admin.php';
	$reeve_purger = new Reeve_Purger();
	Reeve_Purge_Triggers::start( $reeve_purger );
	Reeve_Purge_Site_Triggers::start( $reeve_purger );
	Reeve_Admin::start( $reeve_purger );
	if ( defined( 'WP_CLI' ) && WP_CLI ) {
		require_once __DIR__ . '/src/class-reeve-cli.php';
		WP_CLI::add_command( 'reeve', new Reeve_CLI( $reeve_purger ) );
	}
	unset( $reeve_purger );

	if ( PHP_SAPI !== 'cli' ) {
		require_once __DIR__ . '/src/class-reeve-page-cache.php';
		require_once __DIR__ . '/src/class-reeve-page-lists.php';
		require_once __DIR__ . '/src/class-reeve-metrics.php';
		Reeve_Page_Cache::start();
	}
	if ( 'staging' === wp_get_environment_type() ) {
		require_once __DIR__ . '/src/staging-mail.php';
	}
}
