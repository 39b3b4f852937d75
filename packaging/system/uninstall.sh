#!/bin/bash
# Removes the panel. The sites serve on without it, from the distribution's own services, unless they are removed too.
#   --remove-sites   also remove every site: its files, database, user, configuration and logs
#   --yes            do not ask
#   --dry-run        only say what would be done
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
say() { printf '%s\n' "$*"; }

removes_sites='' is_sure='' is_dry=''
for option in "$@"; do
  case $option in
    --remove-sites) removes_sites=1 ;;
    --keep-sites) removes_sites='' ;;
    --yes) is_sure=1 ;;
    --dry-run) is_dry=1 ;;
    *) sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 64 ;;
  esac
done
[ "$(id -u)" = 0 ] || { say 'Root is needed: run it with sudo.' >&2; exit 1; }

# Only accounts that the agent has made: the name and the range of its own.
site_users() { awk -F: '$1 ~ /^site-[0-9]+$/ && $3 >= 20000 && $3 <= 59999 { print $1 }' /etc/passwd; }
mapfile -t users < <(site_users)
domains=()
for path in /srv/sites/*/; do [ ! -d "$path" ] || domains+=("$(basename "$path")"); done

say 'This will be removed:'
say '  - the services reeve-agent and reeve-api, the executable, the panel'"'"'s address in nginx'
if [ -n "$removes_sites" ]; then
  say "  - ${#domains[@]} sites with their files, databases and logs: ${domains[*]:-none}"
  say '  - accounts, settings and the audit log of the panel'
  say 'This stays: nginx, PHP, MariaDB and Redis, as packages with their own configuration.'
else
  say "This stays and serves on: ${#domains[@]} sites (${domains[*]:-none}), and what they need in nginx, PHP, MariaDB and Redis."
  say 'Accounts, settings and the audit log stay in /var/lib/reeve and /var/lib/reeve-agent, for an installation later.'
fi
[ -z "$is_dry" ] || exit 0
if [ -z "$is_sure" ]; then
  { : </dev/tty; } 2>/dev/null || { say 'There is no terminal to ask on; add --yes.' >&2; exit 1; }
  read -r -p 'Go on? [y/N] ' answer </dev/tty
  [[ $answer =~ ^[Yy] ]] || { say 'Nothing was changed.'; exit 1; }
fi

for path in /etc/systemd/system/reeve-*.timer; do
  [ ! -f "$path" ] || systemctl disable --now --quiet "${path##*/}" 2>/dev/null || true
done
systemctl disable --now --quiet reeve-api reeve-agent 2>/dev/null || true
rm -f /etc/systemd/system/reeve-*.{service,timer} /etc/nginx/conf.d/reeve-panel.conf
! command -v nft >/dev/null || nft delete table inet reeve 2>/dev/null || true

put_stock_back() {
  local path
  rm -f /etc/nginx/conf.d/reeve.conf /etc/nginx/conf.d/reeve-generation.conf /etc/nginx/reeve-nginx.conf
  [ ! -f /etc/nginx/sites-available/default ] || ln -sf /etc/nginx/sites-available/default /etc/nginx/sites-enabled/default
  for path in /etc/php/*/fpm/pool.d/www.conf.distribution; do [ ! -f "$path" ] || mv "$path" "${path%.distribution}"; done
  rm -f /etc/php/*/fpm/reeve.conf /etc/php/*/fpm/reeve.d/99-reeve.ini /etc/mysql/mariadb.conf.d/99-reeve.cnf \
    /etc/redis/reeve.conf /etc/redis/users.acl /etc/tmpfiles.d/php*-fpm.conf /etc/tmpfiles.d/reeve-nginx.conf
  rm -f /etc/systemd/system/{nginx,mariadb,redis-server,php*-fpm}.service.d/reeve.conf
  rmdir /etc/systemd/system/{nginx,mariadb,redis-server,php*-fpm}.service.d /etc/php/*/fpm/reeve.d 2>/dev/null || true
}

remove_sites() {
  local user domain number
  for domain in "${domains[@]}"; do rm -f "/etc/nginx/sites-enabled/$domain.conf"; done
  for user in "${users[@]}"; do rm -f /etc/php/*/fpm/pool.d/"$user.conf"; done
  put_stock_back
  systemctl daemon-reload
  for user in "${users[@]}"; do
    number=${user#site-}
    pkill -KILL -u "$user" || true
    printf 'DROP DATABASE IF EXISTS `site_%s`; DROP USER IF EXISTS `site_%s`@localhost;\n' "$number" "$number" | mariadb --no-defaults
    userdel "$user"
    ! getent group "$user" >/dev/null || groupdel "$user"
  done
  rm -rf --one-file-system /srv/sites /usr/local/lib/reeve /var/cache/nginx/reeve /var/cache/reeve /var/lib/reeve-php \
    /var/lib/reeve-acme /var/lib/reeve /var/lib/reeve-agent /etc/reeve /etc/ssh/sshd_config.d/reeve.conf /var/log/reeve /etc/logrotate.d/reeve{,-site-*} /etc/sysctl.d/60-reeve.conf
  ! getent passwd reeve >/dev/null || userdel reeve
  systemctl restart mariadb redis-server nginx
  local unit
  for unit in $(systemctl list-unit-files --no-legend 'php*-fpm.service' | awk '{ print $1 }'); do systemctl restart "$unit"; done
}

if [ -n "$removes_sites" ]; then
  remove_sites
else
  systemctl daemon-reload
  systemctl reload nginx
fi
rm -rf --one-file-system /usr/lib/reeve /run/reeve
rm -f /usr/bin/reeve
say 'Removed.'
