<?php
/**
 * Runs WordPress's own tasks that are due, as wp-cron.php does, and says which.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

return static function (): array {
	$events = array();
	// The lock that wp-cron.php looks at, so that a request to it does not run the same tasks beside us.
	$lock = sprintf( '%.22F', microtime( true ) );
	set_transient( 'doing_cron', $lock );
	foreach ( wp_get_ready_cron_jobs() as $timestamp => $hooks ) {
		foreach ( $hooks as $hook => $instances ) {
			foreach ( $instances as $instance ) {
				if ( $instance['schedule'] ) {
					$rescheduled = wp_reschedule_event( $timestamp, $instance['schedule'], $hook, $instance['args'], true );
					if ( is_wp_error( $rescheduled ) ) {
						do_action( 'cron_reschedule_event_error', $rescheduled, $hook, $instance );
					}
				}
				$unscheduled = wp_unschedule_event( $timestamp, $hook, $instance['args'], true );
				if ( is_wp_error( $unscheduled ) ) {
					do_action( 'cron_unschedule_event_error', $unscheduled, $hook, $instance );
				}
				$events[] = substr( preg_replace( '/[^\x20-\x7e]/', '?', (string) $hook ), 0, 200 );
				do_action_ref_array( $hook, $instance['args'] );
			}
		}
	}
	if ( get_transient( 'doing_cron' ) === $lock ) {
		delete_transient( 'doing_cron' );
	}
	return array( 'events' => array_slice( $events, 0, 500 ) );
};
