<?php
/**
 * The site's side of the server's page cache.
 *
 * The server keeps what an anonymous visitor gets for as long as it likes; this class sends `X-Accel-Expires: 0`
 * for what must never be kept, and gives pages that may be kept an exact length, compressed once when the server
 * asks for that (REEVE_ENCODING, part of the cache key). Everything else passes through untouched.
 *
 * A page that was begun before a purge may show what was there before. The mark that every purge changes is read when
 * the request begins (wp-config.php) and when its page is finished; if it differs, the page is not kept.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_Page_Cache {
	/** A page that grows beyond this is passed on as it comes, so that a download never fills the memory. */
	const LARGEST_PAGE = 4194304;

	/** Shorter pages gain nothing. */
	const SMALLEST_COMPRESSED = 512;

	/** @var bool Whether an earlier part of this response went out already. */
	private $is_passing = false;
	/** @var bool Whether the page has its exact length, so that nothing can follow it. */
	private $is_finished = false;
	/** @var Reeve_Page_Lists */
	private $lists;

	public static function start(): void {
		$cache        = new self();
		$cache->lists = new Reeve_Page_Lists();
		if ( self::is_private_entry() ) {
			self::forbid();
			return;
		}
		add_action( 'wp', array( $cache, 'forbid_private_page' ), PHP_INT_MAX );
		add_filter( 'rest_post_dispatch', array( $cache, 'forbid_rest' ) );
		$cache->lists->watch();
		// Right after WordPress has closed all buffers (wp_ob_end_flush_all).
		add_action( 'shutdown', array( $cache, 'end_response' ), 1 );
		// Outermost: every buffer that themes and plugins open ends in this one.
		ob_start( array( $cache, 'deliver' ), self::LARGEST_PAGE );
	}

	/** Entry points and methods whose answers are for one visitor, known before WordPress is loaded. */
	private static function is_private_entry(): bool {
		$method = isset( $_SERVER['REQUEST_METHOD'] ) ? $_SERVER['REQUEST_METHOD'] : '';
		$script = isset( $_SERVER['SCRIPT_FILENAME'] ) ? basename( (string) $_SERVER['SCRIPT_FILENAME'] ) : '';
		return 'GET' !== $method
			|| 'index.php' !== $script
			|| is_admin()
			|| wp_doing_ajax()
			|| wp_doing_cron()
			|| ( defined( 'XMLRPC_REQUEST' ) && XMLRPC_REQUEST );
	}

	private static function forbid(): void {
		if ( ! headers_sent() ) {
			header( 'X-Accel-Expires: 0' );
		}
	}

	/** After the query: conditional tags work, and nothing is printed yet. */
	public function forbid_private_page(): void {
		if ( self::is_private_page() ) {
			self::forbid();
		}
	}

	/**
	 * @param mixed $response
	 * @return mixed
	 */
	public function forbid_rest( $response ) {
		self::forbid();
		return $response;
	}

	private static function is_private_page(): bool {
		if ( defined( 'DONOTCACHEPAGE' ) && DONOTCACHEPAGE ) {
			return true;
		}
		if ( defined( 'REST_REQUEST' ) && REST_REQUEST ) {
			return true;
		}
		if ( function_exists( 'is_user_logged_in' ) && is_user_logged_in() ) {
			return true;
		}
		return did_action( 'wp' ) && ( self::is_private_query() || self::is_shop_session() );
	}

	private static function is_private_query(): bool {
		global $wp_query;
		if ( ! $wp_query instanceof WP_Query ) {
			return false;
		}
		if ( $wp_query->is_search() || $wp_query->is_preview() || is_customize_preview() ) {
			return true;
		}
		// Also when the visitor knows the password: then the page is even more private.
		$post = $wp_query->is_singular() ? $wp_query->get_queried_object() : null;
		return $post instanceof WP_Post && '' !== $post->post_password;
	}

	/** WooCommerce's pages that show one visitor's cart, order or account. */
	private static function is_shop_session(): bool {
		foreach ( array( 'is_cart', 'is_checkout', 'is_account_page' ) as $is_such_page ) {
			if ( function_exists( $is_such_page ) && $is_such_page() ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Output handler. Called once with everything for an ordinary page; in parts for a response that is flushed
	 * or grows too large; with the clean flag when a plugin throws the output away to send a file.
	 */
	public function deliver( string $output, int $phase ): string {
		if ( $phase & PHP_OUTPUT_HANDLER_CLEAN ) {
			return $output;
		}
		// Ended before the shutdown, the buffer was closed by a plugin that means to go on by itself.
		$is_whole         = ( $phase & PHP_OUTPUT_HANDLER_FINAL ) && ! $this->is_passing && did_action( 'shutdown' );
		$is_first         = ! $this->is_passing;
		$this->is_passing = true;
		if ( ! $is_first || headers_sent() ) {
			return $output;
		}
		$headers = self::headers();
		if ( Reeve_Metrics::is_probe() ) {
			header( Reeve_Metrics::header() );
			self::forbid();
		}
		if ( self::is_private_page() || self::says_private( $headers ) || ( $is_whole && '' === $output && 200 === http_response_code() ) ) {
			self::forbid();
			return $output;
		}
		$lists = $this->lists->header();
		if ( '' !== $lists ) {
			header( $lists );
		}
		$this->is_finished = $is_whole && self::is_plain_html( $headers );
		$page              = $this->is_finished ? self::finish( $output, $headers ) : $output;
		// As late as can be: nginx stores the page a moment after this.
		if ( self::is_outdated() ) {
			self::forbid();
		}
		return $page;
	}

	/** Whether something of the site was purged since this request began. */
	private static function is_outdated(): bool {
		return defined( 'REEVE_PURGE_MARK' ) && defined( 'REEVE_PURGE_SEEN' )
			&& (string) @file_get_contents( REEVE_PURGE_MARK ) !== REEVE_PURGE_SEEN;
	}

	/** The page is complete: nginx may store it now, and not when the last plugin has ended its own work. */
	public function end_response(): void {
		if ( $this->is_finished && function_exists( 'fastcgi_finish_request' ) ) {
			fastcgi_finish_request();
		}
	}

	/** @return array<string, string[]> Values by lower-case name. */
	private static function headers(): array {
		$headers = array();
		foreach ( headers_list() as $line ) {
			list( $name, $value )             = array_pad( explode( ':', $line, 2 ), 2, '' );
			$headers[ strtolower( $name ) ][] = trim( $value );
		}
		return $headers;
	}

	/** A cookie is for one visitor; and a plugin that forbids caching by header means this cache too. */
	private static function says_private( array $headers ): bool {
		$control = strtolower( implode( ',', isset( $headers['cache-control'] ) ? $headers['cache-control'] : array() ) );
		return isset( $headers['set-cookie'] ) || 1 === preg_match( '/\b(no-store|no-cache|private|max-age=0)\b/', $control );
	}

	private static function is_plain_html( array $headers ): bool {
		$type = isset( $headers['content-type'][0] ) ? $headers['content-type'][0] : '';
		return 200 === http_response_code()
			&& 0 === stripos( $type, 'text/html' )
			&& ! isset( $headers['content-encoding'] )
			&& ! isset( $headers['content-length'] )
			&& ! isset( $headers['transfer-encoding'] )
			&& ! ini_get( 'zlib.output_compression' );
	}

	private static function finish( string $page, array $headers ): string {
		$vary = strtolower( implode( ',', isset( $headers['vary'] ) ? $headers['vary'] : array() ) );
		if ( false === strpos( $vary, 'accept-encoding' ) ) {
			header( 'Vary: Accept-Encoding', false );
		}
		$wants_gzip = isset( $_SERVER['REEVE_ENCODING'] ) && 'gzip' === $_SERVER['REEVE_ENCODING'];
		if ( $wants_gzip && strlen( $page ) >= self::SMALLEST_COMPRESSED && function_exists( 'gzencode' ) ) {
			$compressed = gzencode( $page, 6 );
			if ( false !== $compressed ) {
				$page = $compressed;
				header( 'Content-Encoding: gzip' );
			}
		}
		header( 'Content-Length: ' . strlen( $page ) );
		return $page;
	}
}
