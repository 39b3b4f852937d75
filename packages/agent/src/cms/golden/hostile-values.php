<?php
// Written by Reeve. A change made here is shown as drift.

define( 'DB_NAME', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'DB_USER', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'DB_PASSWORD', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'DB_HOST', 'localhost:\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );

define( 'AUTH_KEY', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\0' );
define( 'SECURE_AUTH_KEY', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\1' );
define( 'LOGGED_IN_KEY', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\2' );
define( 'NONCE_KEY', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\3' );
define( 'AUTH_SALT', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\4' );
define( 'SECURE_AUTH_SALT', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\5' );
define( 'LOGGED_IN_SALT', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\6' );
define( 'NONCE_SALT', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\7' );

define( 'WP_HOME', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'WP_SITEURL', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'WP_ENVIRONMENT_TYPE', 'production' );
define( 'WP_DEBUG', false );
define( 'FS_METHOD', 'direct' );
define( 'WP_AUTO_UPDATE_CORE', false );
define( 'DISALLOW_FILE_EDIT', true );
define( 'DISABLE_WP_CRON', true );

define( 'REEVE_REDIS_SOCKET', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'REEVE_REDIS_USER', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'REEVE_REDIS_PASSWORD', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'REEVE_REDIS_PREFIX', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );

define( 'REEVE_CONNECTOR_TOKEN', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );
define( 'REEVE_PURGE_MARK', '\'\\"; system(\'id\'); // 
 ?> <?php $x {${y}}   \' . \\' );

// Before anything is read from the database: a page that was begun before a purge is not kept.
define( 'REEVE_PURGE_SEEN', (string) @file_get_contents( REEVE_PURGE_MARK ) );

$table_prefix = 'wp_';

// wp-load.php has set ABSPATH; this file is reached through a link and cannot know it.
if ( ! defined( 'ABSPATH' ) ) {
	exit;
}
require_once ABSPATH . 'wp-settings.php';
