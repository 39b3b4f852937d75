<?php
/**
 * Changes that every page may show: the whole site is purged.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_Purge_Site_Triggers {
	/** Settings that pages show; widgets and a theme's own have names of many kinds. */
	const SETTINGS = '/^(?:widget_.*|sidebars_widgets|theme_mods_.*|stylesheet|template|blogname|blogdescription|home|siteurl|site_icon|site_logo|show_on_front|page_on_front|page_for_posts|posts_per_page|posts_per_rss|rss_use_excerpt|permalink_structure|category_base|tag_base|date_format|time_format|start_of_week|timezone_string|gmt_offset|WPLANG|sticky_posts|active_plugins|blog_public|blog_charset|show_avatars|avatar_.*|thread_comments.*|page_comments|comments_per_page|comment_order|default_comments_page|default_category|wp_page_for_privacy_policy)$/';

	/** Posts that are the design of others. */
	const DESIGN_HOOKS = array( 'save_post', 'before_delete_post' );

	/** @var Reeve_Purger */
	private $purger;

	public static function start( Reeve_Purger $purger ): void {
		$triggers         = new self();
		$triggers->purger = $purger;
		$everything       = array(
			'switch_theme',
			'customize_save_after',
			'wp_update_nav_menu',
			'wp_delete_nav_menu',
			'wp_add_nav_menu_item',
			'upgrader_process_complete',
			'_core_updated_successfully',
			'activated_plugin',
			'deactivated_plugin',
			'deleted_user',
			'permalink_structure_changed',
		);
		foreach ( $everything as $hook ) {
			add_action( $hook, array( $triggers, 'purge' ), 10, 0 );
		}
		foreach ( array( 'added_option', 'updated_option', 'deleted_option' ) as $hook ) {
			add_action( $hook, array( $triggers, 'option_changed' ) );
		}
		foreach ( self::DESIGN_HOOKS as $hook ) {
			add_action( $hook, array( $triggers, 'design_changed' ) );
		}
	}

	public function purge(): void {
		$this->purger->purge_everything();
	}

	public function option_changed( $name ): void {
		if ( is_string( $name ) && 1 === preg_match( self::SETTINGS, $name ) ) {
			$this->purger->purge_everything();
		}
	}

	public function design_changed( $post_id ): void {
		$post = get_post( $post_id );
		$is   = $post && in_array( $post->post_status, array( 'publish', 'private', 'trash' ), true )
			&& in_array( $post->post_type, array( 'wp_template', 'wp_template_part', 'wp_global_styles', 'wp_navigation', 'wp_block', 'nav_menu_item', 'custom_css' ), true );
		if ( $is ) {
			$this->purger->purge_everything();
		}
	}
}
