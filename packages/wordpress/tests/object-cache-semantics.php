<?php
/**
 * The object-cache contract of WordPress, asked of the drop-in without WordPress around it.
 * One JSON object of named results on standard output; constants for Redis come from the environment.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

define( 'ABSPATH', '/' );
foreach ( array( 'SOCKET', 'USER', 'PASSWORD', 'PREFIX' ) as $name ) {
	if ( false !== getenv( "REEVE_REDIS_$name" ) ) {
		define( "REEVE_REDIS_$name", getenv( "REEVE_REDIS_$name" ) );
	}
}
$is_multisite = false;
$blog_id      = 1;
$suspended    = false;
$wrong        = array();
function is_multisite() {
	return $GLOBALS['is_multisite'];
}
function get_current_blog_id() {
	return $GLOBALS['blog_id'];
}
function wp_suspend_cache_addition() {
	return $GLOBALS['suspended'];
}
function __( $text ) {
	return $text;
}
function esc_html( $text ) {
	return htmlspecialchars( $text );
}
function _doing_it_wrong( $function, $message ) {
	$GLOBALS['wrong'][] = $function;
}
function _deprecated_function() {}

require dirname( __DIR__ ) . '/object-cache/object-cache.php';

$results = array();
function check( string $what, bool $holds ): void {
	$GLOBALS['results'][ $what ] = $holds;
}
/** A new request: nothing remembered, the same Redis. */
function next_request(): void {
	wp_cache_init();
	wp_cache_add_global_groups( array( 'users', 'site-options' ) );
	wp_cache_add_non_persistent_groups( array( 'counts', 'plugins' ) );
}
/** Redis answers, so what one request stores another one reads. */
$is_shared = '1' === getenv( 'EXPECT_REDIS' );

wp_cache_init();
wp_cache_flush();
next_request();
wp_cache_get( 'anything' );
check( 'Redis is used exactly when it is there', $GLOBALS['wp_object_cache']->redis_status() === $is_shared );

// Values keep their type and content.
$values = array(
	'int'      => 42, 'zero' => 0, 'negative' => -7, 'big' => PHP_INT_MAX, 'small' => PHP_INT_MIN, 'float' => 1.5,
	'true'     => true, 'false' => false, 'null' => null, 'empty' => '', 'string' => 'text', 'digits' => '123',
	'bytes'    => "\0\xff'\"\r\n", 'like' => 'i123', 'array' => array( 'a' => array( 1, '2', null ) ), 'list' => array(),
	'object'   => (object) array( 'x' => 1, 'y' => array( true ) ), 'long' => str_repeat( 'ab', 500000 ),
);
foreach ( $values as $key => $value ) {
	check( "set $key", true === wp_cache_set( $key, $value, 'values' ) );
}
foreach ( array( 'same request', 'next request' ) as $when ) {
	foreach ( $values as $key => $value ) {
		$got    = wp_cache_get( $key, 'values', false, $found );
		$is_one = is_object( $value ) ? $got == $value && get_class( $got ) === get_class( $value ) : $got === $value;
		check( "get $key in the $when", $is_shared || 'same request' === $when ? $found && $is_one : ! $found && false === $got );
	}
	next_request();
}

// Objects are copies.
$object    = new stdClass();
$object->a = 1;
wp_cache_set( 'copy', $object );
$object->a = 2;
$got       = wp_cache_get( 'copy' );
check( 'set keeps a copy', 1 === $got->a );
$got->a = 3;
check( 'get hands out a copy', 1 === wp_cache_get( 'copy' )->a );

// add, replace, delete.
check( 'get of nothing is false and not found', false === wp_cache_get( 'none', '', false, $found ) && false === $found );
check( 'add of something new', true === wp_cache_add( 'added', 1 ) );
check( 'add of something known', false === wp_cache_add( 'added', 2 ) && 1 === wp_cache_get( 'added' ) );
wp_cache_set( 'null-known', null );
check( 'add knows a null', false === wp_cache_add( 'null-known', 2 ) );
check( 'replace of something known', true === wp_cache_replace( 'added', 3 ) && 3 === wp_cache_get( 'added' ) );
check( 'replace of nothing', false === wp_cache_replace( 'never', 1 ) && false === wp_cache_get( 'never' ) );
check( 'delete of something', true === wp_cache_delete( 'added' ) && false === wp_cache_get( 'added' ) );
check( 'delete of nothing', false === wp_cache_delete( 'added' ) );
check( 'add after delete', true === wp_cache_add( 'added', 4 ) );
$suspended = true;
check( 'suspended addition', false === wp_cache_add( 'suspended', 1 ) && true === wp_cache_set( 'suspended', 1 ) );
$suspended = false;
next_request();
check( 'add in the next request', ! $is_shared === wp_cache_add( 'added', 5 ) );
check( 'what add refused stays', ( $is_shared ? 4 : 5 ) === wp_cache_get( 'added' ) );
next_request();
check( 'replace in the next request', $is_shared === wp_cache_replace( 'added', 6 ) );
next_request();
check( 'delete in the next request', $is_shared === wp_cache_delete( 'added' ) );

// Numbers.
check( 'incr of nothing', false === wp_cache_incr( 'n' ) );
wp_cache_set( 'n', 5 );
check( 'incr', 6 === wp_cache_incr( 'n' ) && 9 === wp_cache_incr( 'n', 3 ) );
check( 'decr', 8 === wp_cache_decr( 'n' ) && 6 === wp_cache_decr( 'n', 2 ) && 6 === wp_cache_get( 'n' ) );
check( 'never below zero', 0 === wp_cache_decr( 'n', 100 ) && 0 === wp_cache_get( 'n' ) );
check( 'incr from zero', 1 === wp_cache_incr( 'n' ) );
wp_cache_set( 'word', 'abc' );
check( 'a word counts as zero', 2 === wp_cache_incr( 'word', 2 ) );
wp_cache_set( 'numeric', '7' );
check( 'digits count', 8 === wp_cache_incr( 'numeric' ) );
next_request();
check( 'numbers last', $is_shared ? 1 === wp_cache_get( 'n' ) && 2 === wp_cache_incr( 'n' ) : false === wp_cache_incr( 'n' ) );

// Keys and groups.
check( 'groups are apart', wp_cache_set( 'k', 'a', 'one' ) && wp_cache_set( 'k', 'b', 'two' ) && 'a' === wp_cache_get( 'k', 'one' ) && 'b' === wp_cache_get( 'k', 'two' ) );
check( 'no group is default', wp_cache_set( 'k', 'd' ) && 'd' === wp_cache_get( 'k', 'default' ) && 'd' === wp_cache_get( 'k', 0 ) );
check( 'keys are text or numbers', wp_cache_set( 1, 'int' ) && 'int' === wp_cache_get( '1' ) );
check( 'a key and a group cannot be taken for another pair', wp_cache_set( 'b:c', 1, 'a' ) && false === wp_cache_get( 'c', 'a:b' ) );
$wrong = array();
check( 'an empty key is refused', false === wp_cache_set( '', 1 ) && false === wp_cache_get( ' ' ) && false === wp_cache_add( null, 1 ) && false === wp_cache_delete( '' ) && false === wp_cache_incr( false ) );
$methods = array( 'set', 'get', 'add', 'delete', 'incr' );
check( 'and the method named that was called', preg_filter( '/^/', 'WP_Object_Cache::', $methods ) === $wrong );

// Plugins, and WordPress's own tests, make a cache of their own.
$own = new WP_Object_Cache();
$own->set( 'own', 'value' );
check( 'a second cache reads and writes', 'value' === $own->get( 'own' ) );
next_request();
check( 'which the next request finds', ! $is_shared || 'value' === wp_cache_get( 'own' ) );

// Many at once.
check( 'set_multiple', array( 'm1' => true, 'm2' => true, 3 => true ) === wp_cache_set_multiple( array( 'm1' => 'a', 'm2' => false, 3 => 'c' ), 'many' ) );
$expected = array( 'm1' => 'a', 'm2' => false, 3 => 'c', 'm4' => false );
check( 'get_multiple', $expected === wp_cache_get_multiple( array( 'm1', 'm2', 3, 'm4' ), 'many' ) );
next_request();
$hits = $GLOBALS['wp_object_cache']->cache_hits;
check( 'get_multiple in the next request', ( $is_shared ? $expected : array( 'm1' => false, 'm2' => false, 3 => false, 'm4' => false ) ) === wp_cache_get_multiple( array( 'm1', 'm2', 3, 'm4' ), 'many' ) );
check( 'hits and misses are counted', ( $is_shared ? 3 : 0 ) === $GLOBALS['wp_object_cache']->cache_hits - $hits && $GLOBALS['wp_object_cache']->cache_misses === ( $is_shared ? 1 : 4 ) );
wp_cache_set( 'm1', 'a', 'many' );
check( 'add_multiple', array( 'm1' => false, 'm5' => true ) === wp_cache_add_multiple( array( 'm1' => 'x', 'm5' => 'y' ), 'many' ) );
check( 'delete_multiple', array( 'm1' => true, 'm5' => true, 'm6' => false ) === wp_cache_delete_multiple( array( 'm1', 'm5', 'm6' ), 'many' ) );
check( 'deleted', false === wp_cache_get( 'm1', 'many' ) );
check( 'nothing at once', array() === wp_cache_get_multiple( array(), 'many' ) && array() === wp_cache_set_multiple( array(), 'many' ) && array() === wp_cache_delete_multiple( array(), 'many' ) );

// Time.
wp_cache_set( 'short', 1, 'time', 1 );
wp_cache_set_multiple( array( 'short2' => 1 ), 'time', 1 );
wp_cache_set( 'forever', 1, 'time', -5 );
wp_cache_set( 'counter', 1, 'time', 1 );
wp_cache_incr( 'counter', 1, 'time' );
usleep( 1200000 );
next_request();
check( 'expired', false === wp_cache_get( 'short', 'time' ) && false === wp_cache_get( 'short2', 'time' ) && false === wp_cache_get( 'counter', 'time' ) );
check( 'no expiry', ( $is_shared ? 1 : false ) === wp_cache_get( 'forever', 'time' ) );

// Groups that stay in the request, and a forced read.
wp_cache_set( 'c', 1, 'counts' );
check( 'a non-persistent group works', 1 === wp_cache_get( 'c', 'counts' ) && 2 === wp_cache_incr( 'c', 1, 'counts' ) && false === wp_cache_add( 'c', 1, 'counts' ) && true === wp_cache_replace( 'c', 3, 'counts' ) );
next_request();
check( 'and is gone afterwards', false === wp_cache_get( 'c', 'counts' ) );
wp_cache_set( 'shared', 'old' );
$mine  = $GLOBALS['wp_object_cache'];
next_request();
wp_cache_set( 'shared', 'new' );
$GLOBALS['wp_object_cache'] = $mine;
check( 'a request remembers what it read', 'old' === wp_cache_get( 'shared' ) );
check( 'a forced read looks again', ( $is_shared ? 'new' : 'old' ) === wp_cache_get( 'shared', '', true ) );
wp_cache_flush_runtime();
check( 'flush_runtime keeps what is stored', ( $is_shared ? 'new' : false ) === wp_cache_get( 'shared' ) );

// Flushing.
wp_cache_set( 'a', 1, 'g1' );
wp_cache_set( 'b', 2, 'g2' );
wp_cache_flush_group( 'g1' );
check( 'flush_group empties its group', false === wp_cache_get( 'a', 'g1' ) && 2 === wp_cache_get( 'b', 'g2' ) );
wp_cache_set( 'a2', 3, 'g1' );
next_request();
check( 'also for the next request', false === wp_cache_get( 'a', 'g1' ) && ( $is_shared ? 2 : false ) === wp_cache_get( 'b', 'g2' ) );
check( 'a flushed group works on', ( $is_shared ? 3 : false ) === wp_cache_get( 'a2', 'g1' ) );
check( 'flush', true === wp_cache_flush() && false === wp_cache_get( 'b', 'g2' ) );
next_request();
check( 'flushed for the next request', false === wp_cache_get( 'b', 'g2' ) && false === wp_cache_get( 'string', 'values' ) );

// Networks of sites.
$is_multisite = true;
next_request();
wp_cache_set( 'option', 'one', 'options' );
wp_cache_set( 'user', 'everybody', 'users' );
wp_cache_switch_to_blog( 2 );
check( 'another site has its own', false === wp_cache_get( 'option', 'options' ) && 'everybody' === wp_cache_get( 'user', 'users' ) );
wp_cache_set( 'option', 'two', 'options' );
wp_cache_switch_to_blog( 1 );
check( 'and the first one keeps its', 'one' === wp_cache_get( 'option', 'options' ) );
$is_multisite = false;

foreach ( array( 'add_multiple', 'set_multiple', 'get_multiple', 'delete_multiple', 'flush_runtime', 'flush_group' ) as $feature ) {
	check( "supports $feature", wp_cache_supports( $feature ) );
}
check( 'does not claim more', false === wp_cache_supports( 'teleport' ) );
ob_start();
$GLOBALS['wp_object_cache']->stats();
check( 'stats prints', false !== strpos( ob_get_clean(), 'Cache Hits' ) );
check( 'closes', true === wp_cache_close() );

echo json_encode( $results );
