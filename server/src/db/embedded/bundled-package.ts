import { access, chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, extname, join, relative } from 'node:path'
import { isForbidden, isMissing } from './file-errors.ts'

interface Link {
  source: string
  target: string
}

/**
 * Creates the symbolic links of the libraries: npm packages can't contain links, and install scripts often don't run.
 * Returns false if links are missing and the folder is not writable.
 */
export async function linkLibraries(native: string): Promise<boolean> {
  let links: Link[]
  try {
    links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  } catch (error) {
    if (isMissing(error)) return true
    if (isForbidden(error)) return false
    throw error
  }
  try {
    await Promise.all(links.map((link) => makeLink(dirname(native), link)))
    return true
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}

async function makeLink(root: string, { source, target }: Link): Promise<void> {
  const at = join(root, target)
  if (await exists(at)) return
  try {
    await symlink(relative(dirname(at), join(root, source)), at)
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!(await exists(at))) throw error
  }
}

/** Copies the programs to where their user can access them; a complete copy is reused by later starts. */
export async function copyPackage(native: string, copyTo: string, progress: (text: string) => void): Promise<string> {
  const version: string = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8')).version
  const target = join(copyTo, version)
  const copy = join(target, 'native')
  if (await exists(copy)) return copy

  progress('copying the PostgreSQL programs to where the database user can run them (once)…')
  await mkdir(copyTo, { recursive: true, mode: 0o755 })
  for (const old of await readdir(copyTo)) await rm(join(copyTo, old), { recursive: true, force: true })
  const unfinished = await mkdtemp(join(copyTo, 'copy-'))
  await chmod(unfinished, 0o755)
  await copyFolder(native, join(unfinished, 'native'))
  if (!(await linkLibraries(join(unfinished, 'native')))) throw new Error(`cannot link libraries in ${unfinished}`)
  await rename(unfinished, target)
  return copy
}

/** Copies without file modes: an installation may be private or read-only. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o755 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) await copyFolder(source, target)
    else if (entry.isFile() && extname(entry.name) !== '.a') {
      await copyFile(source, target)
      await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644)
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
