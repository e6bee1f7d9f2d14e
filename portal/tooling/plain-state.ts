import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Leaves devalue out of what browsers load: a fifth of SvelteKit's size, for values that the portal does not keep. */
export function plainState(): Plugin {
  return {
    name: 'portico-plain-state',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    resolveId: (id) => (id === 'devalue' ? join(import.meta.dirname, 'plain-values.ts') : undefined),
  }
}
