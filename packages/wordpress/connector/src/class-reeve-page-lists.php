<?php
/**
 * Notes which types of posts a page lists beside its own content: latest posts in a sidebar, a menu of all pages. The
 * page is stored with the list, so that a new post finds the pages that will show it; what an archive or a post shows
 * of itself is known by its address (Reeve_Purge_Urls).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_Page_Lists {
	/** Parts of the page's design; a change of them concerns the whole site anyway. */
	const DESIGN = array( 'wp_template', 'wp_template_part', 'wp_global_styles', 'wp_navigation', 'wp_block', 'nav_menu_item', 'custom_css', 'wp_font_family', 'wp_font_face' );

	/** @var array<string, true> */
	private $lists = array();

	public function watch(): void {
		add_action( 'pre_get_posts', array( $this, 'note_query' ), PHP_INT_MAX );
		add_action( 'pre_get_comments', array( $this, 'note_comments' ), PHP_INT_MAX );
		foreach ( array( 'getarchives_where', 'get_calendar' ) as $filter ) {
			add_filter( $filter, array( $this, 'note_posts' ) );
		}
		foreach ( array( 'wp_list_categories', 'wp_dropdown_cats', 'wp_tag_cloud' ) as $filter ) {
			add_filter( $filter, array( $this, 'note_terms' ) );
		}
		add_filter( 'get_comments_number', array( $this, 'note_comment_count' ), 10, 2 );
	}

	public function header(): string {
		return $this->lists ? 'X-Reeve-Lists: ' . implode( ',', array_slice( array_keys( $this->lists ), 0, 50 ) ) : '';
	}

	public function note_query( $query ): void {
		if ( ! $query instanceof WP_Query || $query->is_main_query() || $query->is_singular() || $query->get( 'post__in' ) || $query->get( 'reeve_internal' ) ) {
			return;
		}
		// A sitemap counts posts to know its pages; which of those change is known by their addresses.
		if ( isset( $GLOBALS['wp_query'] ) && get_query_var( 'sitemap' ) ) {
			return;
		}
		$types = $query->get( 'post_type' );
		$types = 'any' === $types ? get_post_types( array( 'public' => true ) ) : (array) ( $types ? $types : 'post' );
		foreach ( array_diff( array_filter( $types, 'is_string' ), self::DESIGN ) as $type ) {
			$this->lists[ sanitize_key( $type ) ] = true;
		}
	}

	public function note_comments( $query ): void {
		if ( $query instanceof WP_Comment_Query && empty( $query->query_vars['post_id'] ) && empty( $query->query_vars['post__in'] ) && empty( $query->query_vars['comment__in'] ) && empty( $query->query_vars['parent__in'] ) ) {
			$this->lists['comments'] = true;
		}
	}

	public function note_posts( $text ) {
		$this->lists['post'] = true;
		return $text;
	}

	public function note_terms( $text ) {
		$this->lists['terms'] = true;
		return $text;
	}

	public function note_comment_count( $count, $post_id ) {
		if ( did_action( 'wp' ) && get_queried_object_id() !== (int) $post_id ) {
			$this->lists['comment-counts'] = true;
		}
		return $count;
	}
}
