import { AppError } from '@reeve/contract/errors.ts'
import { describe, expect, test } from 'vitest'
import { checkSnippet } from './check-snippet.ts'

const taken = [
  '',
  '# only a comment with a } and a "',
  'add_header X-Frame-Options "SAMEORIGIN" always;',
  'location = /health { access_log off; return 200 "ok\\n"; }',
  'location ~* \\.(?:woff2?|ttf)$ {\n  add_header Access-Control-Allow-Origin *;\n  expires 1y;\n}',
  'if ($http_user_agent ~* (ahrefs|semrush)) { return 403; }',
  'rewrite ^/shop/(.*)$ /store/$1 permanent;',
  'rewrite ^/out$ https://example.org$request_uri? redirect;',
  'location /api/ { proxy_pass http://127.0.0.1:3000/$is_args$args; proxy_set_header Host $host; }',
  'location /private/ { satisfy any; allow 192.0.2.0/24; deny all; }',
  'location /hook { auth_basic off; try_files $uri @front; }',
  'location /m { if (!-f $request_filename) { return 404; } }',
  'location /d { limit_except GET HEAD { deny all; } autoindex on; }',
  'error_page 503 /maintenance.html;',
  'set $theme "${host}-theme";\nadd_header X-Theme $theme;',
  'sub_filter "a;b}" \'c{d\';',
]

/** Each with the line that must be named. */
const hostile: readonly (readonly [snippet: string, line: number, why: string])[] = [
  ['}', 1, 'closes the server block'],
  ['\n} server { listen 81; ', 2, 'opens another server'],
  ['location / {', 1, 'leaves a block open'],
  ['add_header X y', 1, 'swallows what follows it'],
  ['add_header X "y;', 1, 'leaves a quote open'],
  ["add_header X 'y;\n}", 1, 'leaves a quote open over lines'],
  ['add_header X y\\', 1, 'escapes the next line'],
  ['add_header X "a"b;', 1, 'joins a quote with a word'],
  ['add_header X a}; listen 81;', 1, 'hides a brace in a word'],
  ['add_header X ${host;\n}', 1, 'hides a brace in a variable'],
  ['\n\ninclude /etc/shadow;', 3, 'reads a file'],
  ['"include" /etc/shadow;', 1, 'quotes the name of the directive'],
  ["'root' /;", 1, 'quotes it in another way'],
  ['location /a {\n  root /;\n}', 2, 'serves another directory from a nested block'],
  ['location /a { location /a/b { alias /etc/; } }', 1, 'nests twice'],
  ['location /a/ { alias /srv/sites/other.example/; }', 1, "serves another site's files"],
  ['root /srv/sites/other.example/current;', 1, "serves another site's files"],
  ['load_module modules/evil.so;', 1, 'loads a module'],
  ['user root;', 1, 'becomes root'],
  ['daemon off;', 1, 'is for the main block'],
  ['lua_code_cache off;', 1, 'is Lua'],
  ["content_by_lua_block { os.execute('id') }", 1, 'runs Lua'],
  ["perl 'sub { }';", 1, 'runs Perl'],
  ['js_content main.run;', 1, 'runs JavaScript'],
  ['access_log /etc/cron.d/x;', 1, 'writes a file as root'],
  ['error_log /etc/cron.d/x;', 1, 'writes a file as root'],
  ['access_log off /x;', 1, 'says more than off'],
  ['ssl_certificate /etc/reeve/tls/other/chain.pem;', 1, "takes another site's certificate"],
  ['ssl_certificate_key data:$x;', 1, 'takes a key from a variable'],
  ['listen 5252;', 1, 'takes a port'],
  ['server_name other.example;', 1, "takes another site's name"],
  ['location / { fastcgi_pass unix:/run/php/site-2-8.2.sock; }', 1, "passes to another site's PHP"],
  ['fastcgi_param PHP_ADMIN_VALUE "x=y";', 1, 'overrides the limits of PHP'],
  ['location / { proxy_pass http://unix:/run/reeve/agent.sock:/; }', 1, "passes to the agent's socket"],
  ['location / { proxy_pass http://$arg_host; }', 1, 'passes where the visitor says'],
  ['location / { proxy_pass http://not-there.example; }', 1, 'keeps nginx from starting without its name'],
  ['location / { uwsgi_pass 127.0.0.1:1; }', 1, 'passes by another protocol'],
  ['location / { grpc_pass grpc://127.0.0.1:1; }', 1, 'passes by another protocol'],
  ['fastcgi_cache reeve_sotherothertheron;', 1, "reads another site's cache"],
  ['fastcgi_cache_key x;', 1, 'mixes pages of the cache'],
  ['auth_basic_user_file /etc/shadow;', 1, 'reads password hashes'],
  ['auth_basic $arg_a;', 1, 'says what the visitor says'],
  ['try_files /../../../etc/passwd =404;', 1, 'climbs out'],
  ['try_files /a/.. =404;', 1, 'climbs out'],
  ['try_files $arg_file =404;', 1, 'serves what the visitor names'],
  ['try_files $request_uri =404;', 1, 'serves an address that was not normalised'],
  ['rewrite ^ /$arg_file last;', 1, 'serves what the visitor names'],
  ['rewrite ^ /../../etc/passwd break;', 1, 'climbs out'],
  ['error_page 404 /../../etc/passwd;', 1, 'climbs out'],
  ['error_page 404 $arg_page;', 1, 'serves what the visitor names'],
  ['index /etc/passwd;', 1, 'names a path'],
  ['if (-f /etc/shadow) { return 200; }', 1, 'asks whether a file exists'],
  ['if ( !-e /root/.ssh ) { return 200; }', 1, 'asks whether a file exists'],
  ['location ^~ /.well-known/acme-challenge/x { return 200; }', 1, 'stands before challenges'],
  ['location = /.well-known/acme-challenge/x { return 200; }', 1, 'stands before challenges'],
  ['location /.well-known { deny all; }', 1, 'stands before challenges'],
  ['set $reeve_encoding br;', 1, 'changes what the cache goes by'],
  ['set ${reeve_encoding} br;', 1, 'changes what the cache goes by'],
  ['location ~ (?<reeve_encoding>.*) { break; }', 1, 'changes what the cache goes by'],
  ['if ($arg_a ~ "(?P<reeve_skip_cookie>x)") { break; }', 1, 'changes what the cache goes by'],
  ['limit_req zone=reeve_logins;', 1, 'shares the counter of sign-ins'],
  ['map $a $b { default 1; }', 1, 'is for the http block'],
  ['types { text/html php; }', 1, 'serves programs as text'],
  ['add_header X { y; }', 1, 'opens a block where none is'],
  ['ssi on;', 1, 'includes what pages say'],
  ['dav_methods PUT;', 1, 'writes files'],
  ['disable_symlinks off;', 1, "follows links to others' files"],
  ['add_header X "a\u0000b";', 1, 'holds a control character'],
  ['# a\r}\n', 1, 'hides what follows behind a carriage return'],
  ['__proto__ x;', 1, 'is a name of JavaScript'],
  ['constructor x;', 1, 'is a name of JavaScript'],
]

function problemOf(snippet: string): AppError {
  try {
    checkSnippet(snippet)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('it was taken')
}

describe('a snippet', () => {
  test.each(taken)('is taken: %j', (snippet) => expect(() => checkSnippet(snippet)).not.toThrow())
  test.each(hostile)('is refused: %j in line %i, which %s', (snippet, line) => {
    const problem = problemOf(snippet)
    expect(problem.code).toBe('refused')
    expect(problem.details).toMatchObject({ field: 'nginx_snippet', line })
  })
})
