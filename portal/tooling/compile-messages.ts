import { readFile } from 'node:fs/promises'
import { compile } from '@inlang/paraglide-js'
import { messages } from './messages.ts'

/** A key that one language lacks would silently show the other language. */
async function keysOf(locale: string): Promise<string[]> {
  return Object.keys(JSON.parse(await readFile(`./messages/${locale}.json`, 'utf8')))
}

const { locales }: { locales: string[] } = JSON.parse(await readFile(`${messages.project}/settings.json`, 'utf8'))
const keys = await Promise.all(locales.map(keysOf))
const all = new Set(keys.flat())
const missing = locales.flatMap((locale, index) =>
  [...all].filter((key) => !keys[index]?.includes(key)).map((key) => `${locale}: ${key}`),
)
if (missing.length > 0) throw new Error(`Messages without a translation:\n${missing.join('\n')}`)

await compile(messages)
