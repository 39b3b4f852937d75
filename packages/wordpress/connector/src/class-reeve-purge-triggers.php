<?php
/**
 * Changes of posts, their terms and their comments: which addresses they make outdated.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_Purge_Triggers {
	/** With more posts than this a changed term or author purges the whole site. */
	const MOST_POSTS = 200;

	/** Settings of a post that pages show. */
	const SHOWN_META = array( '_thumbnail_id', '_wp_page_template', '_wp_attachment_image_alt', '_price', '_stock', '_stock_status' );

	/** @var Reeve_Purger */
	private $purger;
	/** @var array<int, WP_Post> Published posts as they were when the request began to change them. */
	private $before = array();

	public static function start( Reeve_Purger $purger ): void {
		$triggers         = new self();
		$triggers->purger = $purger;
		add_action( 'pre_post_update', array( $triggers, 'remember' ) );
		add_action( 'before_delete_post', array( $triggers, 'remember' ) );
		add_action( 'transition_post_status', array( $triggers, 'status_changed' ), 10, 3 );
		add_action( 'wp_after_insert_post', array( $triggers, 'saved' ), 10, 2 );
		add_action( 'set_object_terms', array( $triggers, 'terms_set' ), 10, 6 );
		foreach ( array( 'added_post_meta', 'updated_post_meta', 'deleted_post_meta' ) as $hook ) {
			add_action( $hook, array( $triggers, 'meta_changed' ), 10, 3 );
		}
		add_action( 'wp_update_comment_count', array( $triggers, 'comments_changed' ) );
		add_action( 'edit_comment', array( $triggers, 'comment_edited' ) );
		add_action( 'edit_terms', array( $triggers, 'term_changes' ), 10, 2 );
		add_action( 'edited_term', array( $triggers, 'term_changed' ), 10, 3 );
		add_action( 'pre_delete_term', array( $triggers, 'term_changes' ), 10, 2 );
		add_action( 'profile_update', array( $triggers, 'author_changed' ), 10, 2 );
	}

	/** Its addresses are found now: after the change they lead elsewhere. */
	public function remember( $post_id ): void {
		$post = get_post( $post_id );
		if ( ! $post || isset( $this->before[ $post->ID ] ) || ! is_post_publicly_viewable( $post ) ) {
			return;
		}
		$this->before[ $post->ID ] = clone $post;
		if ( doing_action( 'before_delete_post' ) ) {
			$this->status_changed( 'deleted', 'publish', $post );
			$this->purger->purge_urls( Reeve_Purge_Urls::of_post( $post ) );
			return;
		}
		// Autosaves come through here and change nothing of what is published: asked for only when something was.
		$urls = Reeve_Purge_Urls::of_post( $post );
		$near = Reeve_Purge_Urls::neighbours( $post );
		add_action(
			'wp_after_insert_post',
			function ( $saved_id ) use ( $post, $urls, $near ) {
				if ( (int) $saved_id === $post->ID ) {
					$this->purger->purge_urls( $this->looks_other( $post->ID ) ? array_merge( $urls, $near ) : $urls );
				}
			}
		);
	}

	/** Whether its neighbours, which name it, change. */
	private function looks_other( int $post_id ): bool {
		$now = get_post( $post_id );
		$was = isset( $this->before[ $post_id ] ) ? $this->before[ $post_id ] : null;
		if ( ! $now || ! $was ) {
			return true;
		}
		foreach ( array( 'post_title', 'post_name', 'post_status', 'post_date', 'post_type' ) as $field ) {
			if ( $now->$field !== $was->$field ) {
				return true;
			}
		}
		return false;
	}

	public function status_changed( $new_status, $old_status, $post ): void {
		if ( $new_status === $old_status || ! $post instanceof WP_Post || ! is_post_type_viewable( $post->post_type ) ) {
			return;
		}
		if ( 'publish' === $new_status || 'publish' === $old_status ) {
			$this->purger->purge_listings( $post->post_type, 'terms' );
			$this->purger->purge_urls( Reeve_Purge_Urls::neighbours( $post ) );
			$this->purge_later( $post->ID );
		}
	}

	public function saved( $post_id, $post ): void {
		if ( $post instanceof WP_Post && is_post_publicly_viewable( $post ) ) {
			$this->purger->purge_listings( $post->post_type );
			$this->purge_later( $post->ID );
			if ( $this->looks_other( $post->ID ) ) {
				$this->purger->purge_urls( Reeve_Purge_Urls::neighbours( $post ) );
			}
		}
	}

	/** As the post is when the request ends: terms and settings may follow. */
	private function purge_later( int $post_id ): void {
		$this->purger->purge_later(
			"post $post_id",
			static function () use ( $post_id ): array {
				$post = get_post( $post_id );
				return $post && is_post_publicly_viewable( $post ) ? Reeve_Purge_Urls::of_post( $post ) : array();
			}
		);
	}

	public function terms_set( $object_id, $terms, $tt_ids, $taxonomy, $append, $old_tt_ids ): void {
		$post = get_post( $object_id );
		if ( ! $post || ! is_taxonomy_viewable( $taxonomy ) || ! is_post_publicly_viewable( $post ) ) {
			return;
		}
		$changed = array_merge( array_diff( $old_tt_ids, $tt_ids ), array_diff( $tt_ids, $old_tt_ids ) );
		if ( ! $changed ) {
			return;
		}
		$this->purger->purge_listings( 'terms' );
		$this->purge_later( $post->ID );
		foreach ( $changed as $tt_id ) {
			$term = get_term_by( 'term_taxonomy_id', $tt_id, $taxonomy );
			if ( $term instanceof WP_Term ) {
				$this->purger->purge_urls( Reeve_Purge_Urls::of_terms( array( $term ) ) );
			}
		}
	}

	public function meta_changed( $meta_id, $post_id, $key ): void {
		$post = in_array( $key, self::SHOWN_META, true ) ? get_post( $post_id ) : null;
		if ( $post && is_post_publicly_viewable( $post ) ) {
			$this->purger->purge_listings( $post->post_type );
			$this->purge_later( $post->ID );
		}
	}

	/** Approved, taken back, deleted: whatever changes how many are shown. */
	public function comments_changed( $post_id ): void {
		$post = get_post( $post_id );
		if ( $post && is_post_publicly_viewable( $post ) ) {
			$this->purger->purge_listings( 'comments', 'comment-counts' );
			$this->purger->purge_urls( Reeve_Purge_Urls::own_pages( $post ) );
			$this->purger->purge_urls( array( get_feed_link( 'comments_rss2' ), get_feed_link( 'comments_atom' ) ) );
		}
	}

	public function comment_edited( $comment_id ): void {
		$comment = get_comment( $comment_id );
		if ( $comment && '1' === $comment->comment_approved ) {
			$this->comments_changed( (int) $comment->comment_post_ID );
		}
	}

	/** Its address and what shows its name, before it changes or goes. */
	public function term_changes( $term_id, $taxonomy ): void {
		$term = is_taxonomy_viewable( $taxonomy ) ? get_term( $term_id, $taxonomy ) : null;
		if ( ! $term instanceof WP_Term ) {
			return;
		}
		$this->purger->purge_listings( 'terms' );
		$this->purger->purge_urls( Reeve_Purge_Urls::of_terms( array( $term ) ) );
		$this->purge_posts( get_objects_in_term( $term->term_id, $taxonomy ) );
	}

	public function term_changed( $term_id, $tt_id, $taxonomy ): void {
		$this->term_changes( $term_id, $taxonomy );
	}

	/** @param mixed $ids */
	private function purge_posts( $ids ): void {
		$ids = is_array( $ids ) ? array_map( 'intval', $ids ) : array();
		if ( count( $ids ) > self::MOST_POSTS ) {
			$this->purger->purge_everything();
			return;
		}
		foreach ( $ids as $id ) {
			$this->purge_later( $id );
		}
	}

	public function author_changed( $user_id, $before ): void {
		$user = get_userdata( $user_id );
		if ( ! $user || ! $before instanceof WP_User ) {
			return;
		}
		foreach ( array( 'display_name', 'user_nicename', 'user_url', 'user_email' ) as $field ) {
			if ( $user->$field !== $before->$field ) {
				$ids = get_posts( array( 'author' => $user->ID, 'post_type' => 'any', 'fields' => 'ids', 'numberposts' => self::MOST_POSTS + 1 ) );
				$this->purge_posts( $ids );
				$this->purger->purge_urls( array( get_author_posts_url( $user->ID, $before->user_nicename ) ) );
				return;
			}
		}
	}
}
