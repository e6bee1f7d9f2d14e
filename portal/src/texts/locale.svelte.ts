import { isLocale, locales, overwriteGetLocale, type Locale } from '#paraglide/runtime.js'
import { readStored, writeStored } from '#storage/local-storage.ts'

export { locales, type Locale }

function isKnown(value: unknown): value is Locale {
  return isLocale(value)
}

function preferred(): Locale {
  for (const tag of navigator.languages) {
    const language = tag.split('-')[0]
    if (isKnown(language)) return language
  }
  return 'en'
}

const initial = readStored('locale', isKnown) ?? preferred()
let current = $state<Locale>(initial)
document.documentElement.lang = initial
overwriteGetLocale(() => current)

export const locale = {
  get current(): Locale {
    return current
  },
  choose(next: Locale): void {
    current = next
    writeStored('locale', next)
    document.documentElement.lang = next
  },
}
