<?php
/**
 * Purges the server's page cache and tells how the connector is doing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_CLI {
	/** @var Reeve_Purger */
	private $purger;

	public function __construct( Reeve_Purger $purger ) {
		$this->purger = $purger;
	}

	/**
	 * Purges addresses of this site, or everything.
	 *
	 * ## OPTIONS
	 *
	 * [<url>...]
	 * : Addresses to purge.
	 *
	 * [--all]
	 * : Purge everything.
	 */
	public function purge( $urls, $options ): void {
		if ( ! $urls && empty( $options['all'] ) ) {
			WP_CLI::error( 'Name addresses, or say --all.' );
		}
		empty( $options['all'] ) ? $this->purger->purge_urls( $urls ) : $this->purger->purge_everything();
		$problem = $this->purger->purge_now();
		'' === $problem ? WP_CLI::success( 'Purged.' ) : WP_CLI::error( $problem );
	}

	/** Tells whether the last purge reached the panel. */
	public function status(): void {
		$state   = get_option( Reeve_Purger::OPTION, array() );
		$problem = isset( $state['problem'] ) ? $state['problem'] : '';
		'' === $problem ? WP_CLI::success( 'Changes reach the page cache.' ) : WP_CLI::warning( $problem );
	}
}
