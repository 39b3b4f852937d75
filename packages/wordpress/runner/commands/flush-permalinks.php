<?php
/**
 * Makes the rewrite rules anew, as every part that adds some is loaded now.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

return static function (): array {
	flush_rewrite_rules( false );
	return array( 'rules' => count( (array) get_option( 'rewrite_rules' ) ) );
};
