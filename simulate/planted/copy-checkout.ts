import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Enough for lists of files and the output of a build. */
const MAX_OUTPUT = 64 * 1024 * 1024

/** In node_modules: what lies in the copy itself. The build names the font by its path below the checkout. */
const COPIED = new Set(['@fontsource-variable', '@portico'])

/** Copies the source code and the built portal of a checkout. What npm installed is linked, except for our own packages. */
export async function copyCheckout(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = await run('git', list, { cwd: from, maxBuffer: MAX_OUTPUT })
  for (const path of stdout.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    // A tracked file may have been deleted.
    await cp(join(from, path), join(to, path), { verbatimSymlinks: true }).catch(() => undefined)
  }
  for (const path of ['node_modules', 'portal/node_modules']) await linkPackages(join(from, path), join(to, path))
  for (const path of ['portal/build', 'portal/src/paraglide', 'sdk/dist', '.cache/postgres']) {
    await cp(join(from, path), join(to, path), { recursive: true }).catch(() => undefined)
  }
}

async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from)) {
    // Links to our own packages are relative, so they lead to the copy.
    if (COPIED.has(name)) await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else await symlink(join(from, name), join(to, name))
  }
}

/** Plants a defect in a copy. */
export async function applyPatch(folder: string, patch: string): Promise<void> {
  await run('patch', ['--strip=1', '--forward', '--batch', '--input', patch], { cwd: folder })
}

/** Builds the portal of a copy, with source maps. */
export async function buildPortal(folder: string): Promise<void> {
  const portal = join(folder, 'portal')
  await run(process.execPath, ['tooling/compile-messages.ts'], { cwd: portal, maxBuffer: MAX_OUTPUT })
  const vite = join(folder, 'node_modules/vite/bin/vite.js')
  await run(process.execPath, [vite, 'build', '--sourcemap', 'hidden'], { cwd: portal, maxBuffer: MAX_OUTPUT })
}
