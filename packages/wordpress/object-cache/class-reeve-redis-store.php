<?php
/**
 * The shared half of the object cache: values in Redis. After the first failure it answers like an empty cache for
 * the rest of the request, so that a site without its Redis is slower and not broken.
 *
 * Flushing never looks at keys. Every key holds the generation of the whole cache and of its group; a flush puts a
 * new random generation in place and the old keys are evicted in time. Generations are random and not counted,
 * because the hash that holds them can be evicted too: then everything old is out of reach, never back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

require_once __DIR__ . '/class-reeve-cache-value.php';

final class Reeve_Redis_Store {
	const TIMEOUT_SECONDS = 1.0;

	/** @var Redis|null */
	private $redis;
	/** @var string */
	private $prefix;
	/** @var array<string, string>|null Generation by group; '*' is the whole cache. Read on first use. */
	private $generations = null;
	/** @var string Why Redis is not used, for people who look. */
	private $problem = '';
	/** @var int Round trips to Redis. */
	private $calls = 0;

	private function __construct( ?Redis $redis, string $prefix, string $problem ) {
		$this->redis   = $redis;
		$this->prefix  = $prefix;
		$this->problem = $problem;
	}

	public static function from_constants(): self {
		foreach ( array( 'SOCKET', 'USER', 'PASSWORD', 'PREFIX' ) as $name ) {
			if ( ! defined( "REEVE_REDIS_$name" ) ) {
				return new self( null, '', "REEVE_REDIS_$name is not defined in wp-config.php." );
			}
		}
		if ( ! class_exists( 'Redis' ) ) {
			return new self( null, '', 'The PHP extension redis is not installed.' );
		}
		try {
			return new self( self::connect(), REEVE_REDIS_PREFIX . ':', '' );
		} catch ( RedisException $exception ) {
			return new self( null, '', $exception->getMessage() );
		}
	}

	/** Not persistent: after a request that was ended in the middle, the next one would read its replies. */
	private static function connect(): Redis {
		$redis = new Redis();
		if ( ! @$redis->connect( REEVE_REDIS_SOCKET, 0, self::TIMEOUT_SECONDS, null, 0, self::TIMEOUT_SECONDS )
			|| ! $redis->auth( array( REEVE_REDIS_USER, REEVE_REDIS_PASSWORD ) ) ) {
			throw new RedisException( 'Redis refused the connection.' );
		}
		return $redis;
	}

	public function is_connected(): bool {
		return null !== $this->redis;
	}

	public function problem(): string {
		return $this->problem;
	}

	public function calls(): int {
		return $this->calls;
	}

	/**
	 * @param string[] $names Names of one group.
	 * @return array<string, mixed> Values of those that exist.
	 */
	public function read( array $names, string $group ): array {
		$names   = array_values( $names );
		$replies = $this->ask(
			function ( Redis $redis ) use ( $names, $group ) {
				$keys = $this->keys( $names, $group );
				return 1 === count( $keys ) ? array( $redis->get( $keys[0] ) ) : $redis->mget( $keys );
			}
		);
		$values  = array();
		foreach ( is_array( $replies ) ? $replies : array() as $index => $reply ) {
			if ( is_string( $reply ) && Reeve_Cache_Value::decode( $reply, $value ) ) {
				$values[ $names[ $index ] ] = $value;
			}
		}
		return $values;
	}

	/**
	 * @param string|null $condition 'NX' for only if absent, 'XX' for only if present.
	 * @return bool|null null when Redis is away.
	 */
	public function write( string $name, $value, string $group, int $expire, ?string $condition = null ): ?bool {
		$options = $expire > 0 ? array( 'ex' => $expire ) : array();
		if ( null !== $condition ) {
			$options[] = $condition;
		}
		$done = $this->store(
			array( $name ),
			$group,
			static function ( Redis $redis, array $keys ) use ( $value, $options ) {
				return (bool) $redis->set( $keys[0], Reeve_Cache_Value::encode( $value ), $options );
			}
		);
		return $this->is_connected() ? $done : null;
	}

	/** @param array<string, mixed> $values */
	public function write_all( array $values, string $group, int $expire ): void {
		$options = $expire > 0 ? array( 'ex' => $expire ) : array();
		$this->store(
			array_keys( $values ),
			$group,
			static function ( Redis $redis, array $keys ) use ( $values, $options ) {
				$batch = $redis->pipeline();
				foreach ( array_values( $values ) as $index => $value ) {
					$batch->set( $keys[ $index ], Reeve_Cache_Value::encode( $value ), $options );
				}
				return (bool) $batch->exec();
			}
		);
	}

	/**
	 * @param string[] $names
	 * @return array<string, bool>|null Whether each existed; null when Redis is away.
	 */
	public function remove( array $names, string $group ): ?array {
		$names  = array_values( $names );
		$counts = $this->ask(
			function ( Redis $redis ) use ( $names, $group ) {
				// Before the pipeline: finding the keys may need answers of its own.
				$keys  = $this->keys( $names, $group );
				$batch = $redis->pipeline();
				foreach ( $keys as $key ) {
					$batch->unlink( $key );
				}
				return $batch->exec();
			}
		);
		if ( ! is_array( $counts ) ) {
			return null;
		}
		$existed = array();
		foreach ( $names as $index => $name ) {
			$existed[ $name ] = (int) $counts[ $index ] > 0;
		}
		return $existed;
	}

	/** Adds to a number that exists; never below zero. False when it does not exist, null when Redis is away. */
	public function add_to( string $name, int $offset, string $group ) {
		$result = $this->ask(
			function ( Redis $redis ) use ( $name, $offset, $group ) {
				list( $key ) = $this->keys( array( $name ), $group );
				$stored      = $redis->get( $key );
				if ( ! is_string( $stored ) ) {
					return false;
				}
				if ( Reeve_Cache_Value::is_integer( $stored ) ) {
					$sum = $redis->incrBy( $key, $offset );
					if ( is_int( $sum ) && $sum >= 0 ) {
						return $sum;
					}
				}
				Reeve_Cache_Value::decode( $stored, $value );
				$sum = max( 0, ( is_numeric( $value ) ? $value : 0 ) + $offset );
				$redis->set( $key, Reeve_Cache_Value::encode( $sum ), array( 'KEEPTTL' ) );
				return $sum;
			}
		);
		return $this->is_connected() ? $result : null;
	}

	/** Puts everything out of reach, or with a group only what is in it. */
	public function flush( string $group = '*' ): void {
		$this->ask(
			function ( Redis $redis ) use ( $group ) {
				$this->load_generations( $redis );
				$this->generations[ $group ] = self::new_generation();
				$redis->hSet( $this->prefix . 'generations', $group, $this->generations[ $group ] );
				return true;
			}
		);
	}

	/** Adds this request's counts to the site's totals, which the panel shows as its hit rate. */
	public function count( int $hits, int $misses ): void {
		$this->ask(
			function ( Redis $redis ) use ( $hits, $misses ) {
				$redis->pipeline()
					->hIncrBy( $this->prefix . 'stats', 'hits', $hits )
					->hIncrBy( $this->prefix . 'stats', 'misses', $misses )
					->exec();
				return true;
			}
		);
	}

	/** Like ask, for writing: what could not be stored for want of memory must not leave something older behind. */
	private function store( array $names, string $group, callable $work ) {
		return $this->ask(
			function ( Redis $redis ) use ( $names, $group, $work ) {
				$keys = $this->keys( $names, $group );
				try {
					return $work( $redis, $keys );
				} catch ( RedisException $exception ) {
					if ( 0 !== strpos( $exception->getMessage(), 'OOM' ) ) {
						throw $exception;
					}
					// A new connection, as the old one may hold answers to the rest of a pipeline.
					$this->redis = self::connect();
					$this->redis->unlink( $keys );
					return false;
				}
			}
		);
	}

	/** @return mixed What $work returns, or null when Redis is away or fails. */
	private function ask( callable $work ) {
		if ( null === $this->redis ) {
			return null;
		}
		try {
			++$this->calls;
			return $work( $this->redis );
		} catch ( RedisException $exception ) {
			$this->redis   = null;
			$this->problem = $exception->getMessage();
			return null;
		}
	}

	/** @return string[] */
	private function keys( array $names, string $group ): array {
		$this->load_generations( $this->redis );
		$within = isset( $this->generations[ $group ] ) ? $this->generations[ $group ] : '0';
		// With the length of the group, or "a" and "b:c" would name the same key as "a:b" and "c".
		$begin = $this->prefix . $this->generations['*'] . ':' . $within . ':' . strlen( $group ) . ':' . $group . ':';
		return array_map(
			static function ( $name ) use ( $begin ) {
				return $begin . $name;
			},
			$names
		);
	}

	private function load_generations( Redis $redis ): void {
		if ( null !== $this->generations ) {
			return;
		}
		++$this->calls;
		$key   = $this->prefix . 'generations';
		$found = $redis->hGetAll( $key );
		if ( ! is_array( $found ) || ! isset( $found['*'] ) ) {
			// Two requests may both find it missing; the first one to write decides.
			$redis->hSetNx( $key, '*', self::new_generation() );
			$found = $redis->hGetAll( $key );
		}
		if ( ! is_array( $found ) || ! isset( $found['*'] ) ) {
			throw new RedisException( 'Redis does not keep the generation of the cache.' );
		}
		$this->generations = $found;
	}

	private static function new_generation(): string {
		return bin2hex( random_bytes( 6 ) );
	}
}
