/** Settings of `php` in a cron job, read after the distribution's: what pools may not have, jobs may not have. */
export function renderCronPhpIni(): string {
  return `expose_php = off
display_errors = stderr
html_errors = off
log_errors = off
memory_limit = 512M
apc.enabled = 0
apc.enable_cli = 0
opcache.enable_cli = 0
opcache.restrict_api = /nonexistent
`
}
