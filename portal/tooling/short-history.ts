import { join } from 'node:path'
import type { Plugin } from 'vite'

const KEEPS_HISTORY = './session-storage.js'

/** Has SvelteKit forget what no way back leads to: it keeps something of every page that was visited in a tab, for good. */
export function shortHistory(): Plugin {
  let replaced = false
  return {
    name: 'portico-short-history',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    resolveId(id) {
      if (id !== KEEPS_HISTORY) return undefined
      replaced = true
      return join(import.meta.dirname, 'tab-storage.ts')
    },
    generateBundle() {
      if (!replaced) this.error(`SvelteKit has no ${KEEPS_HISTORY} any more: see where it keeps its history now`)
    },
  }
}
