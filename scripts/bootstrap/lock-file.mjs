import { existsSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { inRoot } from './paths.mjs'

const kinds = /** @type {const} */ (['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'])

/** @typedef {typeof kinds[number]} DependencyKind */
/** @typedef {{ version?: string, resolved?: string, integrity?: string, link?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] } & Record<DependencyKind, Record<string, string> | undefined>} Entry */
/** @typedef {Record<string, Entry>} Packages */

/** The folders of the workspaces. */
export function workspaces() {
  return Object.values(packages('package-lock.json'))
    .filter((entry) => entry.link)
    .map((entry) => String(entry.resolved))
}

/**
 * Whether what npm last installed is what package-lock.json and the package.json files ask for now.
 * npm writes its own record as the last act of an install, so an interrupted one does not count.
 */
export function isInstalled() {
  if (!existsSync(inRoot('node_modules/.package-lock.json'))) return false
  const wanted = packages('package-lock.json')
  const present = packages('node_modules/.package-lock.json')
  return (
    ['', ...workspaces()].every((folder) => asksForTheSame(wanted[folder], folder)) &&
    Object.entries(wanted).every(
      ([path, entry]) => !path.includes('node_modules/') || isSatisfied(entry, present[path]),
    )
  )
}

/** @param {string} file */
function packages(file) {
  /** @type {{ packages: Packages }} */
  const lock = JSON.parse(readFileSync(inRoot(file), 'utf8'))
  return lock.packages
}

/**
 * @param {Entry | undefined} locked
 * @param {string} folder
 */
function asksForTheSame(locked, folder) {
  /** @type {Entry} */
  const manifest = JSON.parse(readFileSync(inRoot(folder, 'package.json'), 'utf8'))
  return kinds.every((kind) => isDeepStrictEqual(manifest[kind] ?? {}, locked?.[kind] ?? {}))
}

/**
 * @param {Entry} wanted
 * @param {Entry | undefined} present
 */
function isSatisfied(wanted, present) {
  if (!present) return Boolean(wanted.optional) && !isMadeForThisPlatform(wanted)
  return wanted.version === present.version && wanted.integrity === present.integrity
}

/** @param {Entry} entry */
function isMadeForThisPlatform({ os, cpu, libc }) {
  if (!os && !cpu) return false
  return allows(os, process.platform) && allows(cpu, process.arch) && (!libc || libc.includes(libcOfThisNode()))
}

/**
 * @param {string[] | undefined} list
 * @param {string} name
 */
function allows(list, name) {
  if (!list) return true
  return list.includes(name) || (list.every((item) => item.startsWith('!')) && !list.includes(`!${name}`))
}

function libcOfThisNode() {
  return JSON.stringify(process.report.getReport()).includes('"glibcVersionRuntime"') ? 'glibc' : 'musl'
}
