import { basename } from 'node:path'
import type { Plugin } from 'vite'

/** Each message is a module of its own, but all of them are reached through one list: what counts is who uses it. */
const MESSAGE = /src[\\/]paraglide[\\/]messages[\\/]/
const USED_MESSAGE = /\bm\.([a-z]\w*)/g

export interface ReachableModules {
  readonly plugin: Plugin
  /** False for all modules in the server build. */
  has(id: string): boolean
}

/**
 * The modules that the given ones import statically, directly or not. Chunks are composed of such sets: modules that
 * two lazily loaded pages have in common must not be loaded by every page.
 */
export function reachableModules(name: string, roots: readonly string[]): ReachableModules {
  const known = new Set<string>()
  const messages = new Set<string>()
  return {
    plugin: {
      name: `portico-${name}`,
      buildEnd() {
        known.clear()
        messages.clear()
        if (this.environment.name !== 'client') return
        const ids = [...this.getModuleIds()]
        const waiting = roots.map((root) => {
          const id = ids.find((one) => one.replaceAll('\\', '/').endsWith(root))
          if (id === undefined) this.error(`No module ends in ${root}: see vite.config.ts`)
          return id
        })
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          if (known.has(id)) continue
          known.add(id)
          const info = this.getModuleInfo(id)
          waiting.push(...(info?.importedIds ?? []))
          if (id.includes('node_modules')) continue
          for (const [, message] of info?.code?.matchAll(USED_MESSAGE) ?? [])
            if (message) messages.add(message.toLowerCase())
        }
      },
    },
    has: (id) =>
      known.has(id) && (!MESSAGE.test(id) || messages.has(basename(id, '.js').replace(/\d*$/, '').toLowerCase())),
  }
}
