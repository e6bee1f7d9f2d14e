import type { Plugin } from 'vite'
import settings from '../project.inlang/settings.json' with { type: 'json' }

const RUNTIME = /src[\\/]paraglide[\\/]runtime\.js$/

/** All that messages and the portal import from it. */
const REPLACEMENT = `
  export const locales = ${JSON.stringify(settings.locales)}
  export const experimentalStaticLocale = undefined
  export const isLocale = (value) => locales.includes(value)
  export let getLocale = () => ${JSON.stringify(settings.baseLocale)}
  export const overwriteGetLocale = (replacement) => { getLocale = replacement }`

/**
 * Leaves out most of Paraglide's runtime: locales in addresses, cookies and headers, which the portal doesn't use, since it
 * chooses the locale itself (src/texts/locale.svelte.ts).
 */
export function smallLocale(): Plugin {
  let replaced = false
  return {
    name: 'portico-small-locale',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    load(id) {
      if (!RUNTIME.test(id)) return undefined
      replaced = true
      return REPLACEMENT
    },
    generateBundle() {
      if (!replaced) this.error('Messages no longer import runtime.js: find out where they take the locale from now')
    },
  }
}
