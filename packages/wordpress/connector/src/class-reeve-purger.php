<?php
/**
 * Collects what a request makes outdated and tells the panel once, after the visitor has the answer.
 *
 * The panel's port is closed to sites; nginx passes this one address on, from this machine only. The token is what
 * counts there: it purges this site and no other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_Purger {
	const OPTION = 'reeve_connector';

	/** Of one message; further ones go in a second. */
	const URLS_AT_ONCE = 500;
	/** More than this is purged as a whole, and so is a request that changes many posts, as an import does. */
	const MOST_URLS  = 1500;
	const MOST_POSTS = 50;

	const CONNECT_SECONDS = 1;
	const ANSWER_SECONDS  = 3;

	/** @var bool */
	private $is_everything = false;
	/** @var array<string, true> */
	private $urls = array();
	/** @var array<string, true> Types of posts, see Reeve_Page_Lists. */
	private $listings = array();
	/** @var array<callable> Called at the end, when the request has changed all it will. */
	private $later = array();
	/** @var bool */
	private $is_registered = false;

	public function purge_everything(): void {
		$this->is_everything = true;
		$this->register();
	}

	/** @param string[] $urls */
	public function purge_urls( array $urls ): void {
		$this->urls += array_fill_keys( $urls, true );
		$this->register();
	}

	/** Pages that list such posts beside their own content. */
	public function purge_listings( string ...$types ): void {
		$this->listings += array_fill_keys( $types, true );
		$this->register();
	}

	/** The same key is asked once. */
	public function purge_later( string $key, callable $find_urls ): void {
		$this->later[ $key ] = $find_urls;
		$this->register();
	}

	private function register(): void {
		if ( ! $this->is_registered ) {
			$this->is_registered = true;
			// After everything that other plugins do at the end.
			add_action( 'shutdown', array( $this, 'flush' ), PHP_INT_MAX );
		}
	}

	/** Tells the panel; nobody waits for it where PHP can end the answer first. */
	public function flush(): void {
		if ( function_exists( 'fastcgi_finish_request' ) ) {
			fastcgi_finish_request();
		}
		$problem = $this->send_all();
		$this->remember( $problem );
	}

	/** For people who wait for it: the problem, or nothing. */
	public function purge_now(): string {
		$problem = $this->send_all();
		$this->remember( $problem );
		return $problem;
	}

	private function send_all(): string {
		foreach ( $this->messages() as $message ) {
			$problem = $this->send( $message );
			if ( '' !== $problem ) {
				return $problem;
			}
		}
		return '';
	}

	/** @return array<array<string, mixed>> */
	private function messages(): array {
		$later               = $this->later;
		$this->later         = array();
		$this->is_everything = $this->is_everything || count( $later ) > self::MOST_POSTS;
		foreach ( $this->is_everything ? array() : $later as $find_urls ) {
			$this->urls += array_fill_keys( $find_urls(), true );
		}
		/**
		 * Filters the addresses to purge; others of this site can be added.
		 *
		 * @param string[] $urls
		 */
		$urls          = (array) apply_filters( 'reeve_purge_urls', array_keys( $this->urls ) );
		$urls          = array_values( array_unique( array_filter( $urls, array( $this, 'is_own' ) ) ) );
		$is_everything = $this->is_everything || count( $urls ) > self::MOST_URLS;
		$listings      = array_map( 'strval', array_slice( array_keys( $this->listings ), 0, 50 ) );

		$this->is_everything = false;
		$this->urls          = array();
		$this->listings      = array();
		if ( $is_everything ) {
			return array( array( 'all' => true ) );
		}
		if ( ! $urls && $listings ) {
			$urls = array( home_url( '/' ) );
		}
		return array_map(
			static function ( array $part ) use ( $listings ) {
				return $listings ? array( 'urls' => $part, 'listings' => $listings ) : array( 'urls' => $part );
			},
			array_chunk( $urls, self::URLS_AT_ONCE )
		);
	}

	/** Plugins filter links to lead elsewhere; the panel would refuse the whole message. */
	private function is_own( $url ): bool {
		return is_string( $url ) && strlen( $url ) <= 2000
			&& wp_parse_url( $url, PHP_URL_HOST ) === wp_parse_url( home_url(), PHP_URL_HOST );
	}

	private function send( array $message ): string {
		if ( ! defined( 'REEVE_CONNECTOR_TOKEN' ) ) {
			return 'wp-config.php has no token for the panel.';
		}
		$status = $this->post( $message, REEVE_CONNECTOR_TOKEN );
		if ( in_array( $status, array( 401, 429, 502, 503 ), true ) ) {
			// The panel starts anew, or the token was replaced while PHP still runs the file with the old one.
			sleep( 1 );
			$status = $this->post( $message, self::current_token() );
		}
		if ( 200 === $status ) {
			return '';
		}
		return $status ? "The panel answered a purge with $status." : 'The panel did not answer a purge.';
	}

	private static function current_token(): string {
		$text = (string) @file_get_contents( ABSPATH . 'wp-config.php' );
		$is   = preg_match( "/^define\( 'REEVE_CONNECTOR_TOKEN', '([A-Za-z0-9_-]+)' \);/m", $text, $found );
		return $is ? $found[1] : REEVE_CONNECTOR_TOKEN;
	}

	/** The status of the answer, 0 when there was none. */
	private function post( array $message, string $token ): int {
		$home    = wp_parse_url( home_url( '/' ) );
		$host    = $home['host'];
		$is_tls  = 'https' === $home['scheme'];
		$port    = isset( $home['port'] ) ? $home['port'] : ( $is_tls ? 443 : 80 );
		// This machine, whatever the name leads to; who listens here below 1024 is root's choice.
		$tls     = array( 'peer_name' => $host, 'verify_peer' => false, 'verify_peer_name' => false );
		$context = stream_context_create( array( 'ssl' => $tls ) );
		$address = ( $is_tls ? 'ssl' : 'tcp' ) . "://127.0.0.1:$port";
		$stream  = @stream_socket_client( $address, $code, $text, self::CONNECT_SECONDS, STREAM_CLIENT_CONNECT, $context );
		if ( ! $stream ) {
			return 0;
		}
		stream_set_timeout( $stream, self::ANSWER_SECONDS );
		$body = (string) wp_json_encode( $message );
		$head = array(
			'POST /.well-known/reeve/purge HTTP/1.0',
			"Host: $host" . ( isset( $home['port'] ) ? ":$port" : '' ),
			"Authorization: Bearer $token",
			'Content-Type: application/json',
			'Content-Length: ' . strlen( $body ),
		);
		fwrite( $stream, implode( "\r\n", $head ) . "\r\n\r\n" . $body );
		$line = (string) fgets( $stream, 256 );
		fclose( $stream );
		return preg_match( '/^HTTP\/1\.[01] ([0-9]{3})/', $line, $found ) ? (int) $found[1] : 0;
	}

	/** For Site Health; written when it changes, not with every purge. */
	private function remember( string $problem ): void {
		if ( '' !== $problem ) {
			error_log( "Reeve: $problem" );
		}
		$known = get_option( self::OPTION, array() );
		if ( ! isset( $known['problem'] ) || $known['problem'] !== $problem ) {
			update_option( self::OPTION, array( 'problem' => $problem, 'since' => time() ), false );
		}
	}
}
