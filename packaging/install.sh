#!/bin/bash
# Installs Reeve on a fresh Debian 12, Debian 13 or Ubuntu 24.04 server. Safe to run again: it changes what differs.
#   --hostname NAME   the panel's own name, one that leads to this server (REEVE_HOSTNAME)
#   --unattended      ask nothing (REEVE_UNATTENDED=1)
#   --dry-run         check and say what would be done, change nothing (REEVE_DRY_RUN=1)
#   --no-firewall     leave an active firewall as it is (REEVE_NO_FIREWALL=1)
#   --help
# REEVE_LOCAL_BUILD=<folder> takes the executable and its .sha256 from there; default: the folder of this script.
# REEVE_RELEASE_URL=<address> downloads both from below that address.
# REEVE_WORDPRESS_SOURCE=<archive> takes WordPress from there instead of wordpress.org.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8

program=/usr/lib/reeve/reeve
settings=/etc/reeve/reeve.env
secret=/etc/reeve/proxy-secret.env
policy=/usr/sbin/policy-rc.d
policy_mark='# Written by Reeve for the time of one installation.'

hostname=${REEVE_HOSTNAME:-}
is_unattended=${REEVE_UNATTENDED:-} is_dry=${REEVE_DRY_RUN:-} leaves_firewall=${REEVE_NO_FIREWALL:-}
problems=() notes=()
problem() { problems+=("$*"); }
note() { notes+=("$*"); }
say() { printf '%s\n' "$*"; }
usage() { sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

while [ $# -gt 0 ]; do
  case $1 in
    --hostname) hostname=${2:-}; shift ;;
    --hostname=*) hostname=${1#*=} ;;
    --unattended) is_unattended=1 ;;
    --dry-run) is_dry=1 ;;
    --no-firewall) leaves_firewall=1 ;;
    --help) usage; exit 0 ;;
    *) printf 'Unknown option %s.\n\n' "$1" >&2; usage >&2; exit 64 ;;
  esac
  shift
done

# ---- What would stop it, all of it, before anything is touched ----

check_system() {
  [ "$(id -u)" = 0 ] || problem "Root is needed: run it with sudo."
  [ -d /run/systemd/system ] || problem "systemd does not run here. The installed server needs it."
  local id='' version=''
  # shellcheck source=/dev/null
  [ ! -r /etc/os-release ] || read -r id version < <(. /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-}")
  case "$id $version" in
    'debian 12') php=8.2 ;;
    'debian 13') php=8.4 ;;
    'ubuntu 24.04') php=8.3 ;;
    *) problem "Reeve runs on Debian 12, Debian 13 and Ubuntu 24.04; this is ${id:-an unknown system} $version." ;;
  esac
  case "$(uname -m)" in
    x86_64) architecture=x64 ;;
    aarch64) architecture=arm64 ;;
    *) problem "There is no executable for this processor, $(uname -m)."; architecture=none ;;
  esac
}

check_resources() {
  local memory disk
  memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
  # A machine sold with 1 GB shows a little less.
  [ "$memory" -ge 900 ] || problem "1 GB of memory is needed; this server has $memory MB."
  disk=$(df --output=avail -m / | tail -n 1 | tr -d ' ')
  [ "$disk" -ge 3000 ] || problem "3 GB of free disk are needed; / has $disk MB."
  [ "$(date +%s)" -gt 1767225600 ] ||
    problem "The clock says $(date -u +%F), so certificates would not be valid. Set it, for example with: timedatectl set-ntp true"
}

# Listening sockets of one port, from the kernel's tables: state 0A, port in hexadecimal.
is_taken() { awk -v port=":$(printf '%04X' "$1")" 'substr($2, length($2) - 4) == port && $4 == "0A" { found = 1 } END { exit !found }' /proc/net/tcp /proc/net/tcp6 2>/dev/null; }

check_neighbours() {
  local port path name
  if [ ! -e "$settings" ]; then
    for port in 80 443 5252; do
      ! is_taken "$port" || problem "Port $port is taken by another program; ss -ltnp 'sport = :$port' names it. Stop it first."
    done
    for path in /etc/nginx/sites-enabled/*; do
      name=${path##*/}
      [ ! -e "$path" ] || [ "$name" = default ] || problem "nginx serves a site of its own here, $path. Reeve wants a server for itself."
    done
  fi
  for path in /usr/local/hestia /usr/local/vesta /usr/local/CyberCP /usr/local/cpanel /usr/local/psa /opt/psa \
    /usr/local/directadmin /usr/local/cwpsrv /usr/local/ispconfig /www/server/panel /home/clp /etc/webmin /opt/1panel /data/coolify; do
    [ ! -e "$path" ] || problem "Another panel is installed here ($path). Two panels would change each other's files."
  done
}

check_hostname() {
  [ -n "$hostname" ] || hostname=$(sed -n 's/^REEVE_PANEL_DOMAIN=//p' "$settings" 2>/dev/null || true)
  [ -n "$hostname" ] || hostname=$(hostname -f 2>/dev/null || true)
  if [ -z "$is_unattended$is_dry" ] && ! is_name "$hostname" && { : </dev/tty; } 2>/dev/null; then
    read -r -p "Name of the panel, for example panel.example.com: " hostname </dev/tty
  fi
  hostname=${hostname,,}
  is_name "$hostname" ||
    problem "The panel needs a name of its own that leads to this server: --hostname panel.example.com (found: \"$hostname\")."
}
is_name() { [[ ${#1} -le 253 && $1 =~ ^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$ ]]; }

check_release() {
  file=reeve-linux-$architecture
  source=${REEVE_LOCAL_BUILD:-}
  if [ -z "$source" ] && [ -n "${REEVE_RELEASE_URL:-}" ]; then
    download=$(mktemp -d)
    trap 'rm -rf "$download"' EXIT
    source=$download
    command -v curl >/dev/null || { problem "curl is missing: apt-get install curl"; return; }
    for name in "$file" "$file.sha256"; do
      curl -fsSL --proto '=https' --proto-redir '=https' --retry 3 -o "$download/$name" "${REEVE_RELEASE_URL%/}/$name" ||
        { problem "${REEVE_RELEASE_URL%/}/$name could not be downloaded."; return; }
    done
  fi
  [ -n "$source" ] || source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
  if [ ! -f "$source/$file" ] || [ ! -f "$source/$file.sha256" ]; then
    problem "$file and $file.sha256 are not in $source. Set REEVE_LOCAL_BUILD to their folder, or REEVE_RELEASE_URL to where they are published."
  elif ! (cd "$source" && sha256sum --check --status --strict "$file.sha256"); then
    problem "$source/$file is not what $file.sha256 says: it is damaged or was replaced. Get both again."
  fi
  case "${REEVE_WORDPRESS_SOURCE:-official}" in
    official*) ;;
    /*) [ -e "$REEVE_WORDPRESS_SOURCE" ] || problem "REEVE_WORDPRESS_SOURCE names $REEVE_WORDPRESS_SOURCE, which does not exist." ;;
    *) problem "REEVE_WORDPRESS_SOURCE must be \"official\", \"official:<version>\" or an absolute path." ;;
  esac
}

# ---- The steps ----

choose_packages() {
  packages=(
    nginx-light libnginx-mod-http-cache-purge libnginx-mod-http-brotli-filter libnginx-mod-http-brotli-static
    libnginx-mod-http-headers-more-filter mariadb-server mariadb-client redis-server
    acl bubblewrap ca-certificates curl libatomic1 logrotate nftables openssh-server openssl passwd procps tar unzip util-linux xz-utils
  )
  local extension
  for extension in fpm cli opcache mysql redis igbinary apcu gd imagick intl mbstring xml zip curl bcmath soap; do
    packages+=("php$php-$extension")
  done
}

allow_service_starts() { ! grep -qsF "$policy_mark" "$policy" || rm -f "$policy"; }

# Nothing stock is served meanwhile: the agent starts each service with our configuration.
install_packages() {
  export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
  local missing=() package apt=(apt-get -q -y -o DPkg::Lock::Timeout=300 -o APT::Keep-Downloaded-Packages=false -o Dpkg::Options::=--force-confold)
  for package in "${packages[@]}"; do
    [ "$(dpkg-query --showformat='${db:Status-Status}' --show "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\n%s\nexit 101\n' "$policy_mark" >"$policy"
    chmod 0755 "$policy"
  fi
  "${apt[@]}" update
  "${apt[@]}" install --no-install-recommends "${missing[@]}"
  allow_service_starts
}

install_program() {
  install -d -m 0755 /usr/lib/reeve
  if ! cmp -s "$source/$file" "$program"; then
    install -m 0755 "$source/$file" "$program.new"
    "$program.new" version
    mv -f "$program.new" "$program"
  fi
  "$program" unpack /usr/lib/reeve/.new
  rm -rf --one-file-system /usr/lib/reeve/system
  mv /usr/lib/reeve/.new/system /usr/lib/reeve/system
  rm -rf --one-file-system /usr/lib/reeve/.new
  ln -sf "$program" /usr/bin/reeve
}

make_user() {
  getent passwd reeve >/dev/null ||
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin reeve
  install -d -m 0700 -o reeve -g reeve /var/lib/reeve
  install -d -m 0700 /var/lib/reeve-agent
  install -d -m 0755 /etc/reeve /usr/local/lib/reeve
}

set_value() { # file, name, value
  touch "$1"
  sed -i "/^$2=/d" "$1"
  [ -z "$3" ] || printf '%s=%s\n' "$2" "$3" >>"$1"
}

write_settings() {
  set_value "$settings" REEVE_ROOT /
  set_value "$settings" REEVE_PANEL_DOMAIN "$hostname"
  [ -z "${REEVE_WORDPRESS_SOURCE:-}" ] || set_value "$settings" REEVE_WORDPRESS_SOURCE "$REEVE_WORDPRESS_SOURCE"
  chmod 0644 "$settings"
  if [ ! -s "$secret" ]; then
    (umask 077 && printf 'REEVE_PROXY_SECRET=%s\n' "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')" >"$secret")
  fi
}

write_system_files() {
  install -m 0644 /usr/lib/reeve/system/reeve.sysctl /etc/sysctl.d/60-reeve.conf
  # A container's kernel belongs to its host and may refuse; the host has set its own then.
  sysctl --quiet --load=/etc/sysctl.d/60-reeve.conf || true
}

start_services() {
  install -m 0644 /usr/lib/reeve/system/reeve-agent.service /usr/lib/reeve/system/reeve-api.service /etc/systemd/system/
  systemctl daemon-reload
  systemctl enable nginx mariadb redis-server "php$php-fpm" reeve-agent reeve-api
  systemctl restart reeve-agent reeve-api
  # Its package was not allowed to start it.
  systemctl start logrotate.timer
}

open_firewall() {
  [ -z "$leaves_firewall" ] || return 0
  local port
  if command -v ufw >/dev/null && ufw status | grep -q '^Status: active'; then
    for port in 22/tcp 80/tcp 443/tcp 443/udp; do ufw allow "$port"; done
  fi
}

ask_panel() { curl --silent --fail --insecure --max-time 2 --resolve "$hostname:443:127.0.0.1" "https://$hostname/healthz" >/dev/null; }

wait_for_panel() {
  local _
  for _ in $(seq 240); do
    if ask_panel && [ -S /run/reeve/agent.sock ]; then return 0; fi
    sleep 0.5
  done
  systemctl --no-pager --lines=20 status reeve-agent reeve-api nginx || true
  say "The panel does not answer; journalctl -u reeve-agent -u reeve-api says why."
  return 1
}

steps=(
  'Packages of the distribution:install_packages'
  'The executable:install_program'
  'User and directories:make_user'
  'Settings:write_settings'
  'Kernel settings:write_system_files'
  'Services:start_services'
  'Firewall:open_firewall'
  'The panel answers over HTTPS:wait_for_panel'
)

used_disk() { sync && df --output=used -m / | tail -n 1 | tr -d ' '; }
running_services() { systemctl list-units --type=service --state=running --no-legend --plain | wc -l; }
# Memory in MB of these processes, each with its share of what several use.
memory_of() {
  local pid
  for pid in "$@"; do cat "/proc/$pid/smaps_rollup" 2>/dev/null || true; done | awk '/^Pss:/ { total += $2 } END { print int(total / 1024) }'
}
all_processes() { find /proc -maxdepth 1 -name '[0-9]*' -printf '%f\n'; }
panel_processes() { systemctl show reeve-agent reeve-api --property=MainPID --value | grep .; }

run_steps() {
  local number=0 step started begun disk memory services
  disk=$(used_disk) services=$(running_services)
  # shellcheck disable=SC2046
  memory=$(memory_of $(all_processes))
  begun=$EPOCHREALTIME
  for step in "${steps[@]}"; do
    number=$((number + 1)) started=$EPOCHREALTIME
    printf '[%d/%d] %s … ' "$number" "${#steps[@]}" "${step%%:*}"
    printf '\n== %s %s\n' "$(date -u +%FT%TZ)" "${step%%:*}" >>"$log"
    # Not inside a condition: "set -e" would be off there.
    set +e
    (set -e; "${step##*:}") >>"$log" 2>&1 </dev/null
    local code=$?
    set -e
    if [ $code -ne 0 ]; then
      say 'failed.'
      tail -n 20 "$log" | sed 's/^/    /'
      say "The whole log is $log. Running this again goes on from here."
      exit 1
    fi
    say "$(seconds_since "$started") s"
  done
  say ''
  # shellcheck disable=SC2046
  say "Installed in $(seconds_since "$begun") s. Added: $(($(used_disk) - disk)) MB of disk, $(($(memory_of $(all_processes)) - memory)) MB of memory ($(memory_of $(panel_processes)) MB of it the panel's), $(($(running_services) - services)) services."
}
seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

announce() {
  local token item
  if [ -z "$leaves_firewall" ] && nft list ruleset 2>/dev/null | grep -Eq 'hook input .*policy drop' && ! command -v ufw >/dev/null; then
    note "A firewall drops incoming traffic here. It must let these in: 22, 80 and 443 tcp, 443 udp."
  fi
  printf '\n== %s reeve doctor\n' "$(date -u +%FT%TZ)" >>"$log"
  reeve doctor >>"$log" 2>&1 || note "Something is not as it should be: reeve doctor names it."
  token=$(reeve setup-token 2>/dev/null || true)
  say ''
  if [ -n "$token" ]; then
    say "  Open   https://$hostname/setup#token=$token"
    say "         The certificate is self-signed until one is issued; the browser will warn."
  else
    say "  Open   https://$hostname/"
  fi
  say "  Name   $hostname must lead to this server: $(ip -brief address show scope global 2>/dev/null | awk '{ for (i = 3; i <= NF; i++) { sub("/.*", "", $i); printf "%s ", $i } }')"
  say "  Log    $log"
  for item in "${notes[@]}"; do say "  Note   $item"; done
}
check_system
check_resources
check_neighbours
check_hostname
check_release
if [ ${#problems[@]} -gt 0 ]; then
  say "Reeve cannot be installed yet:" >&2
  printf '  - %s\n' "${problems[@]}" >&2
  exit 1
fi
choose_packages

if [ -n "$is_dry" ]; then
  say "Nothing stands in the way. This would be done:"
  for step in "${steps[@]}"; do say "  - ${step%%:*}"; done
  say "The panel would be https://$hostname/, with $source/$file."
  exit 0
fi
if [ -z "$is_unattended" ] && { : </dev/tty; } 2>/dev/null; then
  read -r -p "Install Reeve as https://$hostname/ on this server? [y/N] " answer </dev/tty
  [[ $answer =~ ^[Yy] ]] || { say 'Nothing was changed.'; exit 1; }
fi
trap 'allow_service_starts; rm -rf "${download:-/nonexistent}"' EXIT
install -d -m 0711 /var/log/reeve
log=/var/log/reeve/install.log
(umask 077 && touch "$log")
run_steps
announce
