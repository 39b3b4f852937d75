<?php
/**
 * WordPress's object cache: what this request has seen, in front of Redis.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

class WP_Object_Cache {
	/** @var int */
	public $cache_hits = 0;
	/** @var int */
	public $cache_misses = 0;

	/** @var Reeve_Redis_Store */
	private $store;
	/** @var array<string, array<string, mixed>> By group, by name. */
	private $runtime = array();
	/** @var array<string, bool> */
	private $global_groups = array();
	/** @var array<string, bool> */
	private $non_persistent_groups = array();
	/** @var bool */
	private $is_multisite;
	/** @var string */
	private $blog_prefix = '';

	/** WordPress's tests and some plugins make one of their own. */
	public function __construct() {
		$this->store        = Reeve_Redis_Store::from_constants();
		$this->is_multisite = is_multisite();
		$this->switch_to_blog( $this->is_multisite ? get_current_blog_id() : 1 );
	}

	public function add( $key, $data, $group = 'default', $expire = 0 ) {
		if ( wp_suspend_cache_addition() || ! $this->is_valid_key( $key ) ) {
			return false;
		}
		$group = $this->group( $group );
		$name  = $this->name( $key, $group );
		if ( $this->is_known( $name, $group ) ) {
			return false;
		}
		if ( $this->is_shared( $group ) && false === $this->store->write( $name, $data, $group, (int) $expire, 'NX' ) ) {
			return false;
		}
		$this->remember( $name, $group, $data );
		return true;
	}

	public function add_multiple( array $data, $group = '', $expire = 0 ) {
		$added = array();
		foreach ( $data as $key => $value ) {
			$added[ $key ] = $this->add( $key, $value, $group, $expire );
		}
		return $added;
	}

	public function replace( $key, $data, $group = 'default', $expire = 0 ) {
		if ( ! $this->is_valid_key( $key ) ) {
			return false;
		}
		$group = $this->group( $group );
		$name  = $this->name( $key, $group );
		$done  = $this->is_shared( $group ) ? $this->store->write( $name, $data, $group, (int) $expire, 'XX' ) : null;
		if ( false === $done || ( null === $done && ! $this->is_known( $name, $group ) ) ) {
			return false;
		}
		$this->remember( $name, $group, $data );
		return true;
	}

	public function set( $key, $data, $group = 'default', $expire = 0 ) {
		if ( ! $this->is_valid_key( $key ) ) {
			return false;
		}
		$group = $this->group( $group );
		$name  = $this->name( $key, $group );
		if ( $this->is_shared( $group ) ) {
			$this->store->write( $name, $data, $group, (int) $expire );
		}
		$this->remember( $name, $group, $data );
		return true;
	}

	public function set_multiple( array $data, $group = '', $expire = 0 ) {
		$group  = $this->group( $group );
		$named  = array();
		$result = array();
		foreach ( $data as $key => $value ) {
			$result[ $key ] = $this->is_valid_key( $key );
			if ( $result[ $key ] ) {
				$name           = $this->name( $key, $group );
				$named[ $name ] = $value;
				$this->remember( $name, $group, $value );
			}
		}
		if ( $named && $this->is_shared( $group ) ) {
			$this->store->write_all( $named, $group, (int) $expire );
		}
		return $result;
	}

	public function get( $key, $group = 'default', $force = false, &$found = null ) {
		$found = false;
		if ( ! $this->is_valid_key( $key ) ) {
			return false;
		}
		$group = $this->group( $group );
		$name  = $this->name( $key, $group );
		$this->load( array( $name ), $group, (bool) $force );
		$found = $this->is_known( $name, $group );
		return $this->recall( $name, $group );
	}

	public function get_multiple( $keys, $group = 'default', $force = false ) {
		$group = $this->group( $group );
		$names = array();
		foreach ( $keys as $key ) {
			if ( $this->is_valid_key( $key ) ) {
				$names[ $key ] = $this->name( $key, $group );
			}
		}
		$this->load( array_values( $names ), $group, (bool) $force );
		$values = array();
		foreach ( $keys as $key ) {
			$values[ $key ] = isset( $names[ $key ] ) ? $this->recall( $names[ $key ], $group ) : false;
		}
		return $values;
	}

	public function delete( $key, $group = 'default', $deprecated = false ) {
		$deleted = $this->delete_multiple( array( $key ), $group );
		return reset( $deleted );
	}

	public function delete_multiple( array $keys, $group = '' ) {
		$group   = $this->group( $group );
		$names   = array();
		$deleted = array();
		foreach ( $keys as $key ) {
			$deleted[ $key ] = false;
			if ( $this->is_valid_key( $key ) ) {
				$names[ $key ]   = $this->name( $key, $group );
				$deleted[ $key ] = $this->is_known( $names[ $key ], $group );
				unset( $this->runtime[ $group ][ $names[ $key ] ] );
			}
		}
		$existed = $names && $this->is_shared( $group ) ? $this->store->remove( $names, $group ) : null;
		foreach ( null === $existed ? array() : $names as $key => $name ) {
			$deleted[ $key ] = $existed[ $name ];
		}
		return $deleted;
	}

	public function incr( $key, $offset = 1, $group = 'default' ) {
		return $this->change( $key, (int) $offset, $group );
	}

	public function decr( $key, $offset = 1, $group = 'default' ) {
		return $this->change( $key, - (int) $offset, $group );
	}

	private function change( $key, int $offset, $group ) {
		if ( ! $this->is_valid_key( $key ) ) {
			return false;
		}
		$group = $this->group( $group );
		$name  = $this->name( $key, $group );
		$sum   = $this->is_shared( $group ) ? $this->store->add_to( $name, $offset, $group ) : null;
		if ( null === $sum ) {
			$before = $this->is_known( $name, $group ) ? $this->runtime[ $group ][ $name ] : null;
			$sum    = null === $before ? false : max( 0, ( is_numeric( $before ) ? $before : 0 ) + $offset );
		}
		if ( false === $sum ) {
			unset( $this->runtime[ $group ][ $name ] );
			return false;
		}
		$this->remember( $name, $group, $sum );
		return $sum;
	}

	public function flush() {
		$this->runtime = array();
		$this->store->flush();
		return true;
	}

	public function flush_runtime() {
		$this->runtime = array();
		return true;
	}

	public function flush_group( $group ) {
		$group = $this->group( $group );
		unset( $this->runtime[ $group ] );
		if ( $this->is_shared( $group ) ) {
			$this->store->flush( $group );
		}
		return true;
	}

	public function add_global_groups( $groups ) {
		$this->global_groups = array_fill_keys( (array) $groups, true ) + $this->global_groups;
	}

	public function add_non_persistent_groups( $groups ) {
		$this->non_persistent_groups = array_fill_keys( (array) $groups, true ) + $this->non_persistent_groups;
	}

	public function switch_to_blog( $blog_id ) {
		$this->blog_prefix = $this->is_multisite ? ( (int) $blog_id ) . ':' : '';
	}

	public function close(): void {
		if ( $this->cache_hits + $this->cache_misses > 0 ) {
			$this->store->count( $this->cache_hits, $this->cache_misses );
		}
	}

	/** Read by plugins that show the state of the cache. */
	public function stats() {
		printf(
			"<p><strong>Cache Hits:</strong> %d<br /><strong>Cache Misses:</strong> %d<br /><strong>Redis:</strong> %s, %d calls</p>\n",
			(int) $this->cache_hits,
			(int) $this->cache_misses,
			esc_html( $this->store->is_connected() ? 'connected' : $this->store->problem() ),
			(int) $this->store->calls()
		);
	}

	public function redis_status(): bool {
		return $this->store->is_connected();
	}

	/** Fills the runtime cache and counts; a forced read replaces what this request remembers. */
	private function load( array $names, string $group, bool $force ): void {
		$asks = array();
		foreach ( $names as $name ) {
			if ( $this->is_shared( $group ) && ( $force || ! $this->is_known( $name, $group ) ) ) {
				$asks[] = $name;
			}
		}
		if ( $asks ) {
			$values = $this->store->read( $asks, $group );
			foreach ( $asks as $name ) {
				if ( array_key_exists( $name, $values ) ) {
					$this->remember( $name, $group, $values[ $name ] );
				} elseif ( $this->store->is_connected() ) {
					unset( $this->runtime[ $group ][ $name ] );
				}
			}
		}
		foreach ( $names as $name ) {
			$this->is_known( $name, $group ) ? ++$this->cache_hits : ++$this->cache_misses;
		}
	}

	private function remember( string $name, string $group, $value ): void {
		$this->runtime[ $group ][ $name ] = is_object( $value ) ? clone $value : $value;
	}

	private function recall( string $name, string $group ) {
		if ( ! $this->is_known( $name, $group ) ) {
			return false;
		}
		$value = $this->runtime[ $group ][ $name ];
		return is_object( $value ) ? clone $value : $value;
	}

	private function is_known( string $name, string $group ): bool {
		return isset( $this->runtime[ $group ] ) && array_key_exists( $name, $this->runtime[ $group ] );
	}

	private function is_shared( string $group ): bool {
		return ! isset( $this->non_persistent_groups[ $group ] );
	}

	private function group( $group ): string {
		return empty( $group ) ? 'default' : (string) $group;
	}

	private function name( $key, string $group ): string {
		return ( isset( $this->global_groups[ $group ] ) ? '' : $this->blog_prefix ) . $key;
	}

	private function is_valid_key( $key ): bool {
		if ( is_int( $key ) || ( is_string( $key ) && '' !== trim( $key ) ) ) {
			return true;
		}
		if ( function_exists( '__' ) && function_exists( '_doing_it_wrong' ) ) {
			$message = is_string( $key ) ? 'Cache key must not be an empty string.' : 'Cache key must be an integer or a non-empty string.';
			// The method that was called, as WordPress names it: the outermost of this class.
			$calls  = array_filter(
				array_column( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ), 'class', 'function' ),
				static fn( $called ) => self::class === $called
			);
			$method = array_key_last( $calls );
			_doing_it_wrong( __CLASS__ . '::' . $method, esc_html( $message ), '6.1.0' );
		}
		return false;
	}
}
