import { readFile } from 'node:fs/promises'
import { compile } from '@inlang/paraglide-js'
import { messages } from './messages.ts'

interface Settings {
  locales: string[]
  'plugin.inlang.messageFormat': { pathPattern: string[] }
}

const {
  locales,
  'plugin.inlang.messageFormat': { pathPattern },
}: Settings = JSON.parse(await readFile(`${messages.project}/settings.json`, 'utf8'))

/** The keys of one language with the file that holds each. A key in two files would silently show only one of them. */
async function keysOf(locale: string): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  for (const pattern of pathPattern) {
    const file = pattern.replace('{locale}', locale)
    for (const key of Object.keys(JSON.parse(await readFile(file, 'utf8')))) {
      if (key === '$schema') continue
      const other = keys.get(key)
      if (other) throw new Error(`The message "${key}" is both in ${other} and in ${file}`)
      keys.set(key, file)
    }
  }
  return keys
}

/** A key that one language lacks would silently show the other language. */
const keys = await Promise.all(locales.map(keysOf))
const all = new Set(keys.flatMap((known) => [...known.keys()]))
const missing = locales.flatMap((locale, index) =>
  [...all].filter((key) => !keys[index]?.has(key)).map((key) => `${locale}: ${key}`),
)
if (missing.length > 0) throw new Error(`Messages without a translation:\n${missing.join('\n')}`)

await compile(messages)
// The compiler leaves timers behind that would keep this process for half a minute more.
process.exit()
