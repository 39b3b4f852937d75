#!/bin/bash
# Boots a Debian root as a server with a systemd of its own, and again when it reboots. Runs in a mount namespace of
# its own: what is mounted here is gone with it. SIGTERM pulls the plug.
# Usage: unshare --mount bash boot.sh <root> <name> <bridge>
set -eu
root=$1 name=$2 bridge=$3

# The server sees the control groups that a real one has, whatever the host's layout is.
if [ "$(stat --file-system --format=%T /sys/fs/cgroup)" != cgroup2fs ]; then
  umount --recursive /sys/fs/cgroup
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
fi
group=/sys/fs/cgroup/$name
# nspawn wants a place of memory for its own records; a host without systemd has a plain /run.
mkdir -p /run/systemd/nspawn
mount -t tmpfs -o mode=755 tmpfs /run/systemd/nspawn

# Killing nspawn alone would leave the server running, so the kernel ends the whole group.
pull_plug() {
  echo 1 >"$group/cgroup.kill" || true
  while grep -qs 'populated 1' "$group/cgroup.events"; do sleep 0.05; done
  find "$group" -depth -type d -exec rmdir {} + || true
}
trap 'pull_plug; exit 0' TERM

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
pull_plug
