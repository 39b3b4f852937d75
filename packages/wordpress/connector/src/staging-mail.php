<?php
/**
 * A copy of a site never writes to the people of the original. Loaded before plugins, so that one which brings its own
 * wp_mail() finds it taken; the filter is for those that call what they have kept of WordPress's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

if ( ! function_exists( 'wp_mail' ) ) {
	function wp_mail( $to ) {
		$recipients = is_array( $to ) ? count( $to ) : 1;
		error_log( "Reeve: a staging copy sends no mail; one for $recipients recipient(s) was not sent." );
		return false;
	}
}

add_filter( 'pre_wp_mail', '__return_false', PHP_INT_MAX );
