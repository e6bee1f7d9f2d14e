import { basename } from 'node:path'
import type { Plugin } from 'vite'

/** A message has a module of its own, which all are reached through one list: only who says it tells where it belongs. */
const MESSAGE = /src[\\/]paraglide[\\/]messages[\\/]/
const SAID = /\bm\.([a-z]\w*)/g

export interface FirstLoad {
  readonly plugin: Plugin
  /** Comes with the first load. Nothing does in the build that only looks at the routes. */
  has(id: string): boolean
  isLeftOut(id: string): boolean
}

/**
 * Knows which modules come with the first load: those that the given ones import, near or far, other than on demand.
 * Only they may be gathered into files for every page, or each page would fetch what two lazy ones have in common.
 */
export function firstLoad(parts: readonly string[]): FirstLoad {
  const known = new Set<string>()
  const said = new Set<string>()
  const has = (id: string): boolean =>
    known.has(id) && (!MESSAGE.test(id) || said.has(basename(id, '.js').replace(/\d*$/, '').toLowerCase()))
  return {
    plugin: {
      name: 'portico-first-load',
      buildEnd() {
        known.clear()
        said.clear()
        if (this.environment.name !== 'client') return
        const waiting = [...this.getModuleIds()].filter((id) =>
          parts.some((part) => id.replaceAll('\\', '/').endsWith(part)),
        )
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          if (known.has(id)) continue
          known.add(id)
          const info = this.getModuleInfo(id)
          waiting.push(...(info?.importedIds ?? []))
          if (id.includes('node_modules')) continue
          for (const [, message] of info?.code?.matchAll(SAID) ?? []) if (message) said.add(message.toLowerCase())
        }
      },
    },
    has,
    isLeftOut: (id) => known.size > 0 && !has(id),
  }
}
