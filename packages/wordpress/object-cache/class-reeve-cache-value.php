<?php
/**
 * Integers are stored as digits, so that Redis can add to them; strings with a letter before them; everything else
 * serialized.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
final class Reeve_Cache_Value {
	public static function encode( $value ): string {
		if ( is_int( $value ) ) {
			return (string) $value;
		}
		if ( is_string( $value ) ) {
			return 't' . $value;
		}
		return function_exists( 'igbinary_serialize' ) ? 'i' . igbinary_serialize( $value ) : 's' . serialize( $value );
	}

	/** False when the stored bytes cannot be read here. */
	public static function decode( string $stored, &$value ): bool {
		if ( self::is_integer( $stored ) ) {
			$value = (int) $stored;
			return true;
		}
		$rest = substr( $stored, 1 );
		switch ( '' === $stored ? '' : $stored[0] ) {
			case 't':
				$value = $rest;
				return true;
			case 'i':
				$value = function_exists( 'igbinary_unserialize' ) ? @igbinary_unserialize( $rest ) : null;
				return null !== $value || ( function_exists( 'igbinary_serialize' ) && igbinary_serialize( null ) === $rest );
			case 's':
				$value = @unserialize( $rest );
				return false !== $value || 'b:0;' === $rest;
			default:
				return false;
		}
	}

	public static function is_integer( string $stored ): bool {
		return 1 === preg_match( '/^-?[0-9]{1,19}$/D', $stored );
	}
}
