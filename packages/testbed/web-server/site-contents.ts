// What the sites of the vhost tests hold: pages, and everything that must never be served.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { PrivateSite } from './private-server.ts'
import { writeStandIn } from './stand-in.ts'

export function fillBlog(blog: PrivateSite): void {
  const scripts = ['index.php', 'wp-login.php', 'wp-config.php', 'wp-admin/index.php', 'wp-admin/install.php']
  writeStandIn(blog.release, [
    ...scripts,
    'wp-content/uploads/shell.php',
    'wp-includes/load.php',
    'UPPER.PHP',
  ])
  const files = [
    '.env',
    '.git/config',
    'wp-config.php.bak',
    'dump.sql',
    'notes.inc',
    'readme.html',
    'app.css',
    'page.pht',
  ]
  mkdirSync(join(blog.release, '.git'))
  for (const file of [...files, 'wp-content/uploads/photo.jpg'])
    writeFileSync(join(blog.release, file), `content of ${file}`)
}

export function fillFiles(files: PrivateSite): void {
  writeFileSync(join(files.release, 'index.html'), 'front')
  writeFileSync(join(files.release, 'about.html'), 'about')
  writeFileSync(join(files.release, '404.html'), 'nothing here')
  writeFileSync(join(files.release, 'index.php'), '<?php // source')
  writeFileSync(join(files.release, 'app.js'), 'plain twin')
  writeFileSync(join(files.release, 'app.js.gz'), gzipSync('compressed twin'))
}
