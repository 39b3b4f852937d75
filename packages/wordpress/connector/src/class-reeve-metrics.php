<?php
/**
 * What making this page cost, in a header, for the panel alone: a request asks with a header that is signed with the
 * site's own token for this address and this minute.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_Metrics {
	const VALID_SECONDS = 60;

	/** The header of a probe is "<seconds since 1970>.<HMAC-SHA256 of that, host and path>". */
	public static function is_probe(): bool {
		$probe = isset( $_SERVER['HTTP_X_REEVE_PROBE'] ) ? (string) $_SERVER['HTTP_X_REEVE_PROBE'] : '';
		if ( ! defined( 'REEVE_CONNECTOR_TOKEN' ) || ! preg_match( '/^([0-9]{10})\.([0-9a-f]{64})$/D', $probe, $found ) ) {
			return false;
		}
		if ( abs( time() - (int) $found[1] ) > self::VALID_SECONDS ) {
			return false;
		}
		$signed = implode( "\n", array( 'reeve-probe', $found[1], $_SERVER['HTTP_HOST'], $_SERVER['REQUEST_URI'] ) );
		return hash_equals( hash_hmac( 'sha256', $signed, REEVE_CONNECTOR_TOKEN ), $found[2] );
	}

	public static function header(): string {
		global $wpdb, $wp_object_cache;
		$started = isset( $_SERVER['REQUEST_TIME_FLOAT'] ) ? (float) $_SERVER['REQUEST_TIME_FLOAT'] : microtime( true );
		$fields  = array(
			'time_us'    => (int) round( ( microtime( true ) - $started ) * 1e6 ),
			'queries'    => isset( $wpdb->num_queries ) ? (int) $wpdb->num_queries : 0,
			'peak_bytes' => memory_get_peak_usage(),
			'hits'       => isset( $wp_object_cache->cache_hits ) ? (int) $wp_object_cache->cache_hits : 0,
			'misses'     => isset( $wp_object_cache->cache_misses ) ? (int) $wp_object_cache->cache_misses : 0,
		);
		return 'X-Reeve-Metrics: ' . http_build_query( $fields, '', ';' );
	}
}
