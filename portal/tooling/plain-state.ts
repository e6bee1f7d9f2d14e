import { join } from 'node:path'
import type { Plugin } from 'vite'

const REPLACED = 'devalue'

/**
 * Leaves devalue out of the client: a fifth of SvelteKit's size, for values that the portal doesn't use. See
 * docs/decisions/0019-sveltekit-at-build-time.md.
 */
export function plainState(): Plugin {
  let replaced = false
  return {
    name: 'portico-plain-state',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    resolveId(id) {
      if (id !== REPLACED) return undefined
      replaced = true
      return join(import.meta.dirname, 'plain-values.ts')
    },
    generateBundle() {
      if (!replaced) this.error(`SvelteKit's client no longer imports ${REPLACED}: remove this plugin`)
    },
  }
}
