<?php
/**
 * Puts the link to the object-cache drop-in in place, or takes it away. A file of another kind is not touched.
 *
 * Arguments: enabled (boolean), path of the drop-in, target of the link (strings).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

return static function ( array $args ): array {
	$path   = (string) $args['path'];
	$target = (string) $args['target'];
	$is_set = is_link( $path ) && readlink( $path ) === $target;
	if ( (bool) $args['enabled'] === $is_set ) {
		return array( 'changed' => false );
	}
	if ( $is_set ? ! unlink( $path ) : ! symlink( $target, $path ) ) {
		throw new RuntimeException( 'The object-cache drop-in could not be ' . ( $is_set ? 'removed.' : 'put in place.' ) );
	}
	return array( 'changed' => true );
};
