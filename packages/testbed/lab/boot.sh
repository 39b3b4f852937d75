#!/bin/bash
# Boots a Debian disk as a server with a systemd of its own, and again when it reboots. Runs in a mount namespace of
# its own: what is mounted here is gone with it. SIGTERM ends the server; SIGUSR1 cuts its power, and then whatever it
# had not yet synced is lost.
# Usage: unshare --mount bash boot.sh <disk> <folder to mount it on> <name> <bridge>
set -eu
disk=$1 root=$2 name=$3 bridge=$4

# The server sees the control groups that a real one has, whatever the host's layout is.
if [ "$(stat --file-system --format=%T /sys/fs/cgroup)" != cgroup2fs ]; then
  umount --recursive /sys/fs/cgroup
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
fi
group=/sys/fs/cgroup/$name
# nspawn wants a place of memory for its own records; a host without systemd has a plain /run.
mkdir -p /run/systemd/nspawn
mount -t tmpfs -o mode=755 tmpfs /run/systemd/nspawn
mount -t ext4 -o loop "$disk" "$root"

# Killing nspawn alone would leave the server running, so the kernel ends the whole group.
end_all() {
  echo 1 >"$group/cgroup.kill" || true
  while grep -qs 'populated 1' "$group/cgroup.events"; do sleep 0.05; done
  find "$group" -depth -type d -exec rmdir {} + || true
}
# EXT4_IOC_SHUTDOWN without flushing the journal (include/uapi/linux/ext4.h): nothing more reaches the disk, not even
# what the file system would write by itself a moment later.
cut_power() {
  local code=0
  perl -e 'sysopen my $root, $ARGV[0], 0 or die "$!"; my $flags = pack "I", 2; ioctl $root, 0x8004587d, $flags or die "$!"' \
    "$root" || code=$?
  end_all
  exit "$code"
}
trap 'end_all; exit 0' TERM
trap cut_power USR1

code=133
while [ "$code" = 133 ]; do # 133: it wants to reboot
  # A group that was killed once kills what is put into it later.
  [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} +
  mkdir "$group"
  (
    echo "$BASHPID" >"$group/cgroup.procs"
    exec systemd-nspawn --quiet --boot --directory="$root" --machine="$name" --network-bridge="$bridge" \
      --register=no --keep-unit --link-journal=no --resolv-conf=off --timezone=off --console=pipe \
      --capability=CAP_BPF,CAP_PERFMON --system-call-filter='bpf perf_event_open @keyring'
  ) </dev/null &
  code=0
  wait $! || code=$?
done
end_all
