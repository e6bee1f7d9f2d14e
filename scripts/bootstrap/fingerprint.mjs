import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from './paths.mjs'

/**
 * One hash over files and folders of the checkout, by name and content.
 * @param {string[]} paths relative to the root; a folder stands for all files below it
 * @param {{ without?: string[], also?: string }} [options] names of files and folders to leave out; further text to hash
 */
export function fingerprint(paths, { without = [], also = '' } = {}) {
  const hash = createHash('sha256').update(also)
  for (const path of paths.flatMap((path) => filesBelow(path, without)).sort()) {
    const content = readFileSync(inRoot(path))
    hash.update(`\0${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/**
 * @param {string} path
 * @param {string[]} without
 * @returns {string[]}
 */
function filesBelow(path, without) {
  try {
    return readdirSync(inRoot(path), { withFileTypes: true })
      .filter((entry) => !without.includes(entry.name))
      .flatMap((entry) =>
        entry.isDirectory() ? filesBelow(join(path, entry.name), without) : [join(path, entry.name)],
      )
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return [path]
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/**
 * The marker of a completed step: removed before the step and written after it, so that an interrupted step is detected.
 * @param {string} path
 */
export function stamp(path) {
  return {
    read() {
      try {
        return readFileSync(path, 'utf8')
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined
        throw error
      }
    },
    remove: () => rmSync(path, { force: true }),
    /** @param {string} mark */
    write: (mark) => writeFileSync(path, mark),
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
export const hasCode = (error, code) => error instanceof Error && 'code' in error && error.code === code
