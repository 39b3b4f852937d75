<?php
/**
 * Which addresses of a site show a post or a term.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_Purge_Urls {
	/** Pages of one archive; what lies further back is renewed by its age. */
	const MOST_PAGES = 100;
	const MOST_PARTS = 20;

	/** @return string[] */
	public static function of_post( WP_Post $post ): array {
		$urls = self::own_pages( $post );
		foreach ( get_object_taxonomies( $post->post_type, 'objects' ) as $taxonomy ) {
			if ( is_taxonomy_viewable( $taxonomy ) ) {
				$terms = get_the_terms( $post, $taxonomy->name );
				$urls  = array_merge( $urls, self::of_terms( is_array( $terms ) ? $terms : array() ) );
			}
		}
		$archive = get_post_type_archive_link( $post->post_type );
		if ( $archive ) {
			$count = wp_count_posts( $post->post_type );
			$urls  = array_merge( $urls, self::archive( $archive, isset( $count->publish ) ? (int) $count->publish : 0 ) );
			$urls[] = get_post_type_archive_feed_link( $post->post_type );
		}
		if ( 'post' === $post->post_type ) {
			$urls = array_merge( $urls, self::of_blog( $post ) );
		}
		return self::clean( array_merge( $urls, self::sitemaps( $post ) ) );
	}

	/** The post's own address with its parts, pages of comments and feed. */
	public static function own_pages( WP_Post $post ): array {
		$link = get_permalink( $post );
		if ( ! $link ) {
			return array();
		}
		$urls  = array( $link, get_post_comments_feed_link( $post->ID ) );
		$parts = min( self::MOST_PARTS, substr_count( $post->post_content, '<!--nextpage-->' ) + 1 );
		for ( $part = 2; $part <= $parts; $part++ ) {
			$urls[] = user_trailingslashit( trailingslashit( $link ) . $part, 'single_paged' );
		}
		if ( get_option( 'page_comments' ) ) {
			$per_page = max( 1, (int) get_option( 'comments_per_page' ) );
			$pages    = min( self::MOST_PARTS, (int) ceil( (int) $post->comment_count / $per_page ) + 1 );
			for ( $page = 1; $page <= $pages; $page++ ) {
				$urls[] = user_trailingslashit( trailingslashit( $link ) . "comment-page-$page", 'commentpaged' );
			}
		}
		return $urls;
	}

	/** @param WP_Term[] $terms A post is also in the archives above its terms. */
	public static function of_terms( array $terms ): array {
		$urls = array();
		foreach ( $terms as $term ) {
			$ids = array_merge( array( $term->term_id ), get_ancestors( $term->term_id, $term->taxonomy, 'taxonomy' ) );
			foreach ( $ids as $id ) {
				$link = get_term_link( $id, $term->taxonomy );
				if ( is_string( $link ) ) {
					$urls   = array_merge( $urls, self::archive( $link, self::posts_below( $id, $term->taxonomy ) ) );
					$urls[] = get_term_feed_link( $id, $term->taxonomy );
				}
			}
		}
		return self::clean( $urls );
	}

	private static function posts_below( int $term_id, string $taxonomy ): int {
		$count = 0;
		foreach ( array_merge( array( $term_id ), (array) get_term_children( $term_id, $taxonomy ) ) as $id ) {
			$term   = get_term( $id, $taxonomy );
			$count += $term instanceof WP_Term ? $term->count : 0;
		}
		return $count;
	}

	/** The pages of the blog, of the author and of the dates. */
	private static function of_blog( WP_Post $post ): array {
		$urls = array( home_url( '/' ) );
		$user = (int) $post->post_author;
		$urls = array_merge( $urls, self::archive( get_author_posts_url( $user ), (int) count_user_posts( $user, 'post', true ) ) );
		$date = explode( '-', substr( $post->post_date, 0, 10 ) );
		if ( 3 === count( $date ) ) {
			list( $year, $month, $day ) = array_map( 'intval', $date );

			$urls = array_merge( $urls, self::archive( get_year_link( $year ), self::posts_in( $year ) ) );
			$urls = array_merge( $urls, self::archive( get_month_link( $year, $month ), self::posts_in( $year, $month ) ) );
			$urls = array_merge( $urls, self::archive( get_day_link( $year, $month, $day ), self::posts_in( $year, $month, $day ) ) );
		}
		$urls[] = get_author_feed_link( $user );
		foreach ( array( 'rss2', 'atom', 'rdf', 'rss' ) as $feed ) {
			$urls[] = get_feed_link( $feed );
		}
		return $urls;
	}

	private static function posts_in( int ...$date ): int {
		$names = array_slice( array( 'year', 'monthnum', 'day' ), 0, count( $date ) );
		$query = new WP_Query();
		$query->query(
			array_combine( $names, $date ) + array(
				'post_status'    => 'publish',
				'fields'         => 'ids',
				'posts_per_page' => 1,
				'reeve_internal' => true,
			)
		);
		return (int) $query->found_posts;
	}

	/** An archive with its further pages, one more than there are now: the last one may just have ended. */
	private static function archive( string $link, int $posts ): array {
		$per_page = max( 1, (int) get_option( 'posts_per_page' ) );
		$pages    = min( self::MOST_PAGES, (int) ceil( $posts / $per_page ) + 1 );
		$urls     = array( $link );
		global $wp_rewrite;
		for ( $page = 2; $wp_rewrite->using_permalinks() && $page <= $pages; $page++ ) {
			$urls[] = user_trailingslashit( trailingslashit( $link ) . $wp_rewrite->pagination_base . "/$page", 'paged' );
		}
		return $urls;
	}

	/** The posts before and after this one link to it; what has a place in a tree has no such neighbours. */
	public static function neighbours( WP_Post $post ): array {
		if ( is_post_type_hierarchical( $post->post_type ) ) {
			return array();
		}
		$before          = isset( $GLOBALS['post'] ) ? $GLOBALS['post'] : null;
		$GLOBALS['post'] = $post; // get_adjacent_post() knows no other way.
		$urls            = array();
		foreach ( array( true, false ) as $is_previous ) {
			$neighbour = get_adjacent_post( false, '', $is_previous );
			if ( $neighbour instanceof WP_Post ) {
				$urls[] = get_permalink( $neighbour );
			}
		}
		$GLOBALS['post'] = $before;
		return self::clean( $urls );
	}

	private static function sitemaps( WP_Post $post ): array {
		$server = function_exists( 'wp_sitemaps_get_server' ) ? wp_sitemaps_get_server() : null;
		if ( ! $server || ! $server->sitemaps_enabled() ) {
			return array();
		}
		$urls  = array();
		$count = wp_count_posts( $post->post_type );
		$count = isset( $count->publish ) ? (int) $count->publish : 0;
		$most  = wp_sitemaps_get_max_urls( 'post' );
		for ( $page = 1; $page <= min( self::MOST_PAGES, max( 1, (int) ceil( $count / $most ) ) ); $page++ ) {
			$urls[] = home_url( "/wp-sitemap-posts-{$post->post_type}-$page.xml" );
		}
		// The others name what has posts at all: they change with a first one and a last one.
		$is_edge = $count % $most <= 1;
		foreach ( get_object_taxonomies( $post->post_type ) as $taxonomy ) {
			foreach ( (array) get_the_terms( $post, $taxonomy ) as $term ) {
				if ( $term instanceof WP_Term && $term->count <= 1 ) {
					$urls[]  = home_url( "/wp-sitemap-taxonomies-$taxonomy-1.xml" );
					$is_edge = true;
				}
			}
		}
		if ( count_user_posts( (int) $post->post_author, $post->post_type, true ) <= 1 ) {
			$urls[]  = home_url( '/wp-sitemap-users-1.xml' );
			$is_edge = true;
		}
		return $is_edge ? array_merge( $urls, array( home_url( '/wp-sitemap.xml' ) ) ) : $urls;
	}

	/** @return string[] */
	private static function clean( array $urls ): array {
		return array_values( array_unique( array_filter( $urls, 'is_string' ) ) );
	}
}
