import { join } from 'node:path'
import type { Plugin } from 'vite'

const REPLACED = './session-storage.js'

/**
 * Limits the history that SvelteKit stores: it keeps an entry for every page that was ever visited in a tab. See
 * docs/decisions/0019-sveltekit-at-build-time.md.
 */
export function shortHistory(): Plugin {
  let replaced = false
  return {
    name: 'portico-short-history',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    resolveId(id) {
      if (id !== REPLACED) return undefined
      replaced = true
      return join(import.meta.dirname, 'tab-storage.ts')
    },
    generateBundle() {
      if (!replaced)
        this.error(`SvelteKit's client no longer imports ${REPLACED}: find out where it stores its history now`)
    },
  }
}
