import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '../bootstrap/paths.mjs'

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g
/** What exists only for the compiler. */
const TYPES = /^\s*(?:import|export) type [^'"]*from ['"][^'"]+['"]/gm

/**
 * The files that import each file of this repository, by paths relative to its root.
 * @returns {Map<string, Set<string>>}
 */
export function readImporters() {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map()
  for (const file of sources())
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').replaceAll(TYPES, '').matchAll(IMPORT)) {
      const imported = resolve(file, name)
      if (imported === undefined) continue
      importers.set(imported, (importers.get(imported) ?? new Set()).add(file))
    }
  return importers
}

/** Those that git ignores are generated. */
function sources() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.mjs', '*.svelte']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).split('\n')
  return listed.filter((file) => file !== '' && existsSync(join(root, file)))
}

/**
 * @param {string} file
 * @param {string} name
 * @returns {string | undefined} undefined if it is a package of others, or the contract, of which every file would import everything
 */
function resolve(file, name) {
  const [workspace = ''] = file.split('/')
  if (name.startsWith('.')) return relative(root, join(root, dirname(file), name))
  if (name.startsWith('#')) return join(workspace, 'src', name.slice(1))
  const own = /^@portico\/(?!contract)([^/]+)$/.exec(name)?.[1]
  const entry = own && join(own, 'src/index.ts')
  return entry && existsSync(join(root, entry)) ? entry : undefined
}
