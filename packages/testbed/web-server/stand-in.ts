// Stands in for an application behind PHP: says what reached it and counts how often each address was rendered.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Answer } from './visit.ts'

export interface Rendered {
  release: string
  /** How often this address was rendered, this time included. */
  count: number
  method: string
  script: string
  server: Record<string, string>
}

const php = `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$file = getenv('TMPDIR') . '/' . md5($path);
$handle = fopen($file, 'c+');
flock($handle, LOCK_EX);
$count = 1 + (int) stream_get_contents($handle);
rewind($handle);
fwrite($handle, (string) $count);
fclose($handle);
if (str_starts_with($path, '/slow')) usleep(1000000);
if (str_starts_with($path, '/cookie')) setcookie('session', 'secret');
if (str_starts_with($path, '/private')) header('X-Accel-Expires: 0');
if (str_starts_with($path, '/language')) header('Vary: Accept-Language');
if (str_starts_with($path, '/public')) header('Cache-Control: public, max-age=60');
if (str_starts_with($path, '/error')) http_response_code(500);
$body = json_encode([
    'release' => basename(__DIR__),
    'count' => $count,
    'method' => $_SERVER['REQUEST_METHOD'],
    'script' => $_SERVER['SCRIPT_NAME'],
    'server' => array_filter($_SERVER, 'is_string'),
]);
header('Content-Type: text/html; charset=utf-8');
$body .= str_repeat(' ', 4000);
if (($_SERVER['REEVE_ENCODING'] ?? '') === 'gzip' && !str_starts_with($path, '/uncompressed')) {
    $body = gzencode($body, 6);
    header('Content-Encoding: gzip');
    header('Vary: Accept-Encoding');
}
header('Content-Length: ' . strlen($body));
echo $body;
`

export function writeStandIn(folder: string, files: readonly string[] = ['index.php']): void {
  for (const file of files) {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, php)
  }
}

/** What the application said; fails when the answer is not its page. */
export function rendered(answer: Pick<Answer, 'body'>): Rendered {
  return JSON.parse(answer.body.toString('utf8')) as Rendered // our own page above
}
