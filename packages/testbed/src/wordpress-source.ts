// A real upstream WordPress for tests: the orig tarball of Debian's source package, which is the upstream tree,
// fetched and verified by apt with lists of its own, so that the host's configuration stays as it is.
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

const cache = join(import.meta.dirname, '../../../.cache/wordpress')
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
const suite = 'trixie'

/** Path of a WordPress tarball, below `.cache/`; needs the Debian mirror only the first time. */
export async function wordpressSource(): Promise<string> {
  const kept = newestIn(cache)
  if (kept) return kept
  const work = `${cache}.${process.pid}`
  rmSync(work, { recursive: true, force: true })
  mkdirSync(join(work, 'lists/partial'), { recursive: true })
  mkdirSync(join(work, 'archives/partial'), { recursive: true })
  mkdirSync(join(work, 'download'))
  try {
    await download(work)
    const tarball = newestIn(join(work, 'download'))
    if (!tarball) throw new Error(`apt-get source wordpress of ${suite} brought no .orig tarball.`)
    mkdirSync(cache, { recursive: true })
    renameSync(tarball, join(cache, fileName(tarball)))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  const fetched = newestIn(cache)
  if (!fetched) throw new Error(`No WordPress tarball is in ${cache} after fetching one.`)
  return fetched
}

async function download(work: string): Promise<void> {
  const signedBy = existsSync(keyring) ? `Signed-By: ${keyring}\n` : ''
  const mirrors = debianMirrors().join(' ')
  writeFileSync(
    join(work, 'debian.sources'),
    `Types: deb-src\nURIs: ${mirrors}\nSuites: ${suite}\nComponents: main\n${signedBy}`,
  )
  const options = Object.entries({
    'Dir::Etc::sourcelist': join(work, 'debian.sources'),
    'Dir::Etc::sourceparts': '-',
    'Dir::State::lists': join(work, 'lists'),
    'Dir::Cache': work,
    'Acquire::Retries': '3',
    // The checkout may lie where apt's own download user cannot go.
    'APT::Sandbox::User': 'root',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const settings = { cwd: join(work, 'download'), timeout: 300_000, env: { ...process.env, LC_ALL: 'C' } }
  await execute('apt-get', [...options, '-qq', 'update'], settings)
  await execute(
    'apt-get',
    [...options, '-qq', 'source', '--download-only', '--tar-only', 'wordpress'],
    settings,
  )
}

/** Mirrors the host already uses for Debian itself, else Debian's own. */
function debianMirrors(): string[] {
  const files = globSync('/etc/apt/{sources.list,sources.list.d/*.sources,sources.list.d/*.list}')
  const words = files.flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  const mirrors = words
    .filter((line) => /^(deb|URIs:)\s/.test(line))
    .flatMap((line) => line.split(/\s+/))
    .filter((word) => /^https?:\/\/\S+\/debian\/?$/.test(word))
  return mirrors.length > 0 ? [...new Set(mirrors)] : ['http://deb.debian.org/debian']
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

function newestIn(dir: string): string | undefined {
  return globSync(join(dir, 'wordpress_*.orig.tar.xz'))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)
}

if (import.meta.main) console.log(await wordpressSource())
