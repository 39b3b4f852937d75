<?php
/**
 * What an administrator of the site sees of the connector: a button in the admin bar and a line in Site Health.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_Admin {
	const ACTION = 'reeve_purge';

	/** @var Reeve_Purger */
	private $purger;

	public static function start( Reeve_Purger $purger ): void {
		$admin         = new self();
		$admin->purger = $purger;
		add_action( 'admin_bar_menu', array( $admin, 'add_button' ), 100 );
		add_action( 'admin_post_' . self::ACTION, array( $admin, 'purge' ) );
		add_action( 'admin_notices', array( $admin, 'say_outcome' ) );
		add_filter( 'site_status_tests', array( $admin, 'add_test' ) );
	}

	public function add_button( $bar ): void {
		if ( ! current_user_can( 'manage_options' ) ) {
			return;
		}
		$bar->add_node(
			array(
				'id'    => 'reeve-purge',
				'title' => esc_html__( 'Purge page cache', 'reeve' ),
				'href'  => wp_nonce_url( admin_url( 'admin-post.php?action=' . self::ACTION ), self::ACTION ),
			)
		);
	}

	public function purge(): void {
		check_admin_referer( self::ACTION );
		if ( ! current_user_can( 'manage_options' ) ) {
			wp_die( esc_html__( 'You may not purge the page cache.', 'reeve' ), '', array( 'response' => 403 ) );
		}
		$this->purger->purge_everything();
		$problem = $this->purger->purge_now();
		wp_safe_redirect( add_query_arg( 'reeve-purged', '' === $problem ? 'yes' : 'no', admin_url() ) );
		exit;
	}

	public function say_outcome(): void {
		$outcome = isset( $_GET['reeve-purged'] ) ? $_GET['reeve-purged'] : '';
		if ( 'yes' === $outcome ) {
			printf( '<div class="notice notice-success is-dismissible"><p>%s</p></div>', esc_html__( 'The page cache is empty.', 'reeve' ) );
		} elseif ( 'no' === $outcome ) {
			printf( '<div class="notice notice-error"><p>%s</p></div>', esc_html__( 'The page cache could not be purged; Site Health says why.', 'reeve' ) );
		}
	}

	public function add_test( $tests ) {
		$tests['direct']['reeve_connector'] = array(
			'label' => __( 'Page cache', 'reeve' ),
			'test'  => array( $this, 'test_connection' ),
		);
		return $tests;
	}

	public function test_connection(): array {
		$state   = get_option( Reeve_Purger::OPTION, array() );
		$problem = isset( $state['problem'] ) ? $state['problem'] : '';
		return array(
			'label'       => '' === $problem ? __( 'Changes reach the page cache', 'reeve' ) : __( 'Changes do not reach the page cache', 'reeve' ),
			'status'      => '' === $problem ? 'good' : 'recommended',
			'badge'       => array( 'label' => __( 'Performance', 'reeve' ), 'color' => 'blue' ),
			'description' => '<p>' . esc_html( '' === $problem ? __( 'What you publish is shown to visitors at once.', 'reeve' ) : $problem . ' ' . __( 'Visitors see changes late. Replace the token in the panel.', 'reeve' ) ) . '</p>',
			'actions'     => '',
			'test'        => 'reeve_connector',
		);
	}
}
