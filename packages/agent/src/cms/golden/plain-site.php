<?php
// Written by Reeve. A change made here is shown as drift.

define( 'DB_NAME', 'site_7' );
define( 'DB_USER', 'site_7' );
define( 'DB_PASSWORD', 'dbpass' );
define( 'DB_HOST', 'localhost:/run/mysqld/mysqld.sock' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );

define( 'AUTH_KEY', 'salt-0' );
define( 'SECURE_AUTH_KEY', 'salt-1' );
define( 'LOGGED_IN_KEY', 'salt-2' );
define( 'NONCE_KEY', 'salt-3' );
define( 'AUTH_SALT', 'salt-4' );
define( 'SECURE_AUTH_SALT', 'salt-5' );
define( 'LOGGED_IN_SALT', 'salt-6' );
define( 'NONCE_SALT', 'salt-7' );

define( 'WP_HOME', 'https://example.com' );
define( 'WP_SITEURL', 'https://example.com' );
define( 'WP_ENVIRONMENT_TYPE', 'production' );
define( 'WP_DEBUG', false );
define( 'FS_METHOD', 'direct' );
define( 'WP_AUTO_UPDATE_CORE', false );
define( 'DISALLOW_FILE_EDIT', true );
define( 'DISABLE_WP_CRON', true );

define( 'REEVE_CONNECTOR_TOKEN', 'token' );
define( 'REEVE_PURGE_MARK', '/srv/sites/example.com/tmp/purge-mark' );

// Before anything is read from the database: a page that was begun before a purge is not kept.
define( 'REEVE_PURGE_SEEN', (string) @file_get_contents( REEVE_PURGE_MARK ) );

$table_prefix = 'wp_';

// wp-load.php has set ABSPATH; this file is reached through a link and cannot know it.
if ( ! defined( 'ABSPATH' ) ) {
	exit;
}
require_once ABSPATH . 'wp-settings.php';
