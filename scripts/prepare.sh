#!/usr/bin/env bash
# Brings a bare Debian or Ubuntu machine to where Reeve can be built and started: the distribution's packages, then
# npm's. Says what is missing before it installs anything; does nothing when nothing is missing.
# Usage: prepare.sh start|test
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

purpose=${1:-start}
policy=/usr/sbin/policy-rc.d
policy_mark='# Written by Reeve for the time of one installation.'

say() { printf '%s\n' "$*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }

require_root() {
  [ "$(id -u)" -eq 0 ] && return
  die "Reeve makes a system user per site and starts nginx, PHP-FPM, MariaDB and Redis, so it needs root:
  sudo npm $([ "$purpose" = test ] && echo test || echo start)"
}

# True when node_modules holds exactly the versions of the lock file that this machine can use.
npm_packages_match() {
  [ -f node_modules/.package-lock.json ] || return 1
  node -e '
    const { readFileSync } = require("node:fs")
    const read = (file) => JSON.parse(readFileSync(file, "utf8")).packages
    const wanted = read("package-lock.json")
    const installed = read("node_modules/.package-lock.json")
    const allows = (list, value) => list === undefined || [list].flat().includes(value)
    const fits = ({ os, cpu, libc }) =>
      (os ?? cpu) !== undefined && allows(os, process.platform) && allows(cpu, process.arch) && allows(libc, "glibc")
    const differs = Object.entries(wanted).some(([path, entry]) => {
      if (!path.includes("node_modules/") || entry.link || entry.peer) return false
      if (installed[path]) return installed[path].version !== entry.version
      return entry.optional ? fits(entry) : true
    })
    process.exit(differs ? 1 : 0)
  '
}

npm_flags=(--ignore-scripts --no-audit --no-fund --loglevel=error)

# Installs by the given npm command line. No install scripts: nothing here needs one. The warnings left out are
# about npm running on an older Node than the pinned one in node_modules that runs everything else.
#
# Newer npm refuses "ci" when the lock file does not list the optional packages of every other platform, as one
# written against a registry without them does not. "install" takes the same versions, and they are checked.
npm_install_with() {
  "$@" ci "${npm_flags[@]}" >>"$npm_log" 2>&1 || "$@" install --no-save "${npm_flags[@]}" >>"$npm_log" 2>&1
}

install_npm_packages() {
  npm_packages_match && link_node && return
  command -v npm >/dev/null || die 'npm is missing. Install it with: apt-get install npm'
  say 'Installing the npm packages of package-lock.json …'
  npm_log=$(mktemp)
  npm_install_with npm || {
    tail -n 40 "$npm_log" >&2
    die "npm could not install them; its last lines are above, all of them in $npm_log."
  }
  link_node
  if ! npm_packages_match; then
    # npm leaves out optional packages that the Node it runs on is too old for, and ours are for the pinned one.
    local folder
    folder=$(mktemp -d)
    cp -L node_modules/.bin/node "$folder/node"
    npm_install_with "$folder/node" --no-deprecation "$(readlink -f "$(command -v npm)")" || true
    rm -rf "$folder"
    link_node
  fi
  npm_packages_match || die "npm did not install what package-lock.json names; what it said is in $npm_log."
  rm -f "$npm_log"
}

# npm 9 loses the link to Node: the packages for both architectures carry one of that name, and it removes the link
# together with the package that does not fit.
link_node() {
  [ ! -x node_modules/.bin/node ] || return 0
  local architecture
  case "$(uname -m)" in
    x86_64) architecture=x64 ;;
    aarch64) architecture=arm64 ;;
    *) die "Reeve runs on x86_64 and aarch64; this machine is $(uname -m)." ;;
  esac
  [ -x "node_modules/node-linux-$architecture/bin/node" ] ||
    die "npm did not install node-linux-$architecture; remove node_modules and try again."
  ln -sf "../node-linux-$architecture/bin/node" node_modules/.bin/node
}

# Sets php (version) and packages (array) for this distribution and purpose.
choose_packages() {
  local id='' version=''
  if [ -r /etc/os-release ]; then
    # shellcheck source=/dev/null
    read -r id version < <(. /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-}")
  fi
  case "$id $version" in
    'debian 12') php=8.2 ;;
    'debian 13') php=8.4 ;;
    'ubuntu 24.04') php=8.3 ;;
    *) die "Reeve runs on Debian 12, Debian 13 and Ubuntu 24.04; this is ${id:-an unknown system} ${version}." ;;
  esac
  packages=(
    nginx-light libnginx-mod-http-cache-purge libnginx-mod-http-brotli-filter libnginx-mod-http-brotli-static
    libnginx-mod-http-headers-more-filter
    mariadb-server mariadb-client redis-server
    acl bubblewrap ca-certificates curl libatomic1 logrotate openssh-server openssl passwd procps tar unzip util-linux xz-utils
  )
  local extension
  for extension in fpm cli opcache mysql redis igbinary apcu gd imagick intl mbstring xml zip curl bcmath soap; do
    packages+=("php$php-$extension")
  done
  if [ "$purpose" = test ]; then
    [ "$id" = debian ] || die "The test suite needs Debian 12 or 13: Ubuntu has no chromium package to drive the UI with."
    packages+=(chromium fonts-dejavu-core fonts-liberation nghttp2-client pebble wrk)
  fi
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    case "$(dpkg-query --showformat='${db:Status-Status}' --show "$package" 2>/dev/null || true)" in
      installed) ;;
      *) printf '%s\n' "$package" ;;
    esac
  done
}

# Maintainer scripts start what they install. A policy-rc.d that forbids it keeps ports 80, 3306 and 6379 free;
# one that exists already is somebody's decision and stays as it is.
forbid_service_starts() {
  [ -e "$policy" ] && return
  printf '#!/bin/sh\n%s\nexit 101\n' "$policy_mark" >"$policy"
  chmod 0755 "$policy"
}
allow_service_starts() {
  grep -qsF "$policy_mark" "$policy" && rm -f "$policy"
  return 0
}

# Units that came with this installation must not take ports at the next boot either. Units that were here
# before are left alone: someone may be using them.
disable_new_services() {
  [ -d /run/systemd/system ] || return 0
  local package unit
  for package in "$@"; do
    case "$package" in
      nginx-light) unit=nginx ;;
      php*-fpm) unit=$package ;;
      mariadb-server) unit=mariadb ;;
      redis-server) unit=redis-server ;;
      *) continue ;;
    esac
    systemctl disable --now --quiet "$unit.service" || say "Could not disable $unit.service; it may hold a port that Reeve wants."
  done
}

install_debian_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" -eq 0 ] && return
  say "Installing ${#missing[@]} missing packages of the distribution:"
  printf '%s\n' "${missing[*]}" | fold -s -w 100 | sed 's/^/  /'
  trap allow_service_starts EXIT
  forbid_service_starts
  export DEBIAN_FRONTEND=noninteractive
  local log
  log=$(mktemp)
  # Another apt may be at work, on a new server usually its own upgrade.
  local apt=(apt-get -q -y -o DPkg::Lock::Timeout=300)
  if ! { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    die "apt-get could not install them; its last lines are above, all of them in $log."
  fi
  rm -f "$log"
  disable_new_services "${missing[@]}"
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" -eq 0 ] || die "apt-get reported success, yet these are not installed: ${missing[*]}"
}

require_root
choose_packages
# First: the pinned Node needs libatomic1.
install_debian_packages
install_npm_packages
