import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const cache = join(root, '.cache')

/** Where Node keeps compiled code. */
export const compiled = join(cache, 'compiled')

/** @param {string[]} parts */
export const inRoot = (...parts) => join(root, ...parts)
