import { copyFileSync, chmodSync, constants } from 'node:fs'
import { join } from 'node:path'
import { runAsSite } from '../as-site-user.ts'
import { settleTree } from './root-tree.ts'
import type { Scratch } from './scratch.ts'

export interface Unpacking {
  /** A .tar.gz, .tar.xz or .zip. */
  archive: string
  /** Leading folders that are left out of every name. */
  strip: 0 | 1
}

/**
 * Unpacks as the scratch account and returns a directory of root's with nothing but files and directories.
 * The archive may be hostile: links, devices and set-user-id files end in an error or as plain files.
 */
export async function unpack(scratch: Scratch, { archive, strip }: Unpacking): Promise<string> {
  const readable = join(scratch.dir, 'archive')
  copyFileSync(archive, readable, constants.COPYFILE_FICLONE)
  chmodSync(readable, 0o644)
  const tree = join(scratch.site.home, 'tree')
  const limits = { timeoutMs: 120_000, readOnly: [readable] }
  if (archive.endsWith('.zip')) {
    // Its only ways to leave the folder, `..` and links, end at the edge of the namespace.
    await runAsSite(scratch.site, 'unzip', ['-qq', '-n', readable, '-d', tree], limits)
  } else {
    await runAsSite(scratch.site, 'tar', tarArguments(readable, scratch.site.home, strip), limits)
  }
  settleTree(tree, 0, 0)
  return tree
}

function tarArguments(archive: string, home: string, strip: number): string[] {
  return [
    '--extract',
    '--one-top-level=tree',
    '--no-same-owner',
    '--no-same-permissions',
    `--strip-components=${strip}`,
    `--directory=${home}`,
    `--file=${archive}`,
  ]
}
