<?php
// What an installed server has beside the panel's own programs: systemd, its bus and the panel's command.
if ( $host['has_systemd'] ) {
	foreach (
		array(
			'stop the agent'                  => 'systemctl stop reeve-agent',
			'restart the web server'          => 'systemctl restart nginx',
			'change the environment of units' => 'systemctl set-environment PLANTED=x',
			'run a program as root'           => 'systemd-run --quiet --wait --pipe id',
			'keep processes after the pool'   => 'loginctl enable-linger',
			'set the host name'               => 'hostnamectl set-hostname planted',
			'read the journal of the agent'   => 'journalctl --quiet --lines=1 --unit=reeve-agent | grep .',
			'ask the panel’s own command'     => 'reeve doctor | grep checks',
			'change the firewall'             => 'nft list ruleset | grep .',
		) as $label => $command
	) {
		probe( "systemd: $label", fn( $text ) => run( "timeout 10 sh -c '$text'" ), $command );
	}
	$socket = fn( $path ) => fclose( stream_socket_client( "unix://$path", $code, $message, 2 ) ?: throw new RuntimeException( $message ) );
	probe( 'socket: systemd itself', $socket, '/run/systemd/private' );
}
