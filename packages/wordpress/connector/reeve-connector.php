<?php
/**
 * Plugin Name: Reeve connector
 * Description: Tells the page cache of the server what may be kept, and hands it finished pages.
 * Version: 1.0.0
 * Requires PHP: 7.4
 * License: GPL-2.0-or-later
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

// Only a loader: this file is reached through a link in mu-plugins, the code stays beside its target.
if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

if ( PHP_SAPI !== 'cli' && is_readable( __DIR__ . '/src/class-reeve-page-cache.php' ) ) {
	require_once __DIR__ . '/src/class-reeve-page-cache.php';
	Reeve_Page_Cache::start();
}
