<?php
/**
 * Renders the front page and forgets it: what WordPress and the theme make at the first visit, such as the menu of a
 * block theme, is there afterwards, and no visitor's page is outdated by it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

return static function (): array {
	if ( ! defined( 'WP_USE_THEMES' ) ) {
		define( 'WP_USE_THEMES', true );
	}
	ob_start();
	wp();
	require ABSPATH . WPINC . '/template-loader.php';
	$page = (string) ob_get_clean();
	if ( false === stripos( $page, '</html>' ) ) {
		throw new RuntimeException( 'The front page is not whole.' );
	}
	return array( 'bytes' => strlen( $page ) );
};
