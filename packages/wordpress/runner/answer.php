<?php
/**
 * The one answer of a run. It comes out whatever else the process prints, and also when a plugin ends the process.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

final class Reeve_Answer {
	/** @var string */
	private $marker;
	/** @var bool */
	private $given = false;

	public function __construct( string $marker ) {
		$this->marker = $marker;
		// What plugins and themes print is dropped in pieces, so that it cannot fill the memory.
		ob_start(
			static function () {
				return '';
			},
			65536
		);
		register_shutdown_function( array( $this, 'at_shutdown' ) );
	}

	/** @param mixed $result */
	public function succeed( $result ): void {
		$this->give( array( 'ok' => true, 'result' => $result ), 0 );
	}

	public function fail( string $error ): void {
		$this->give( array( 'ok' => false, 'error' => $error ), 1 );
	}

	/** A fatal error or an `exit` in a plugin ends here, without an answer having been given. */
	public function at_shutdown(): void {
		if ( $this->given ) {
			return;
		}
		$last  = error_get_last();
		$fatal = array( E_ERROR, E_PARSE, E_CORE_ERROR, E_COMPILE_ERROR, E_RECOVERABLE_ERROR );
		$error = $last && in_array( $last['type'], $fatal, true )
			? sprintf( '%s in %s on line %d', $last['message'], $last['file'], $last['line'] )
			: 'The process was ended by the code of a plugin, a theme or WordPress before the command was done.';
		$this->give( array( 'ok' => false, 'error' => $error ), 1 );
	}

	private function give( array $answer, int $status ): void {
		if ( $this->given ) {
			return;
		}
		$this->given = true;
		$json        = json_encode( $answer, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR );
		fwrite( STDOUT, "\n" . $this->marker . $json . "\n" );
		exit( $status );
	}
}
