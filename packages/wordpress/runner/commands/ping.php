<?php
/**
 * Proves that the runner starts, and says as whom.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

return static function (): array {
	return array(
		'php' => PHP_VERSION,
		'uid' => posix_getuid(),
		'gid' => posix_getgid(),
	);
};
