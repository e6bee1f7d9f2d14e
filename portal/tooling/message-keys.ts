import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const PORTAL = join(import.meta.dirname, '..')
const PROJECT = 'project.inlang/settings.json'
const USED = /\bm\.(\w+)/g

interface Settings {
  locales: string[]
  'plugin.inlang.messageFormat': { pathPattern: string[] }
}

/** The message keys of each locale, with the file that holds each. */
export async function messageKeys(): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const settings: Settings = JSON.parse(await readFile(join(PORTAL, PROJECT), 'utf8'))
  const { pathPattern } = settings['plugin.inlang.messageFormat']
  return new Map(
    await Promise.all(settings.locales.map(async (locale) => [locale, await keysOf(locale, pathPattern)] as const)),
  )
}

/** A key in two files would silently show only one of the two texts. */
async function keysOf(locale: string, pathPattern: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>()
  for (const pattern of pathPattern) {
    const file = pattern.replace('{locale}', locale)
    for (const key of Object.keys(JSON.parse(await readFile(join(PORTAL, file), 'utf8')))) {
      if (key === '$schema') continue
      const other = keys.get(key)
      if (other) throw new Error(`The message "${key}" is both in ${other} and in ${file}`)
      keys.set(key, file)
    }
  }
  return keys
}

/** The message keys that the portal's sources use: always as `m.key`, never computed. */
export async function usedMessageKeys(): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  for await (const file of glob('src/**/*.{ts,svelte}', { cwd: PORTAL, exclude: ['src/paraglide/**'] })) {
    const source = await readFile(join(PORTAL, file), 'utf8')
    for (const [, key] of source.matchAll(USED)) if (key !== undefined) used.add(key)
  }
  return used
}
