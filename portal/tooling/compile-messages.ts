import { compile } from '@inlang/paraglide-js'
import { messageKeys } from './message-keys.ts'
import { messages } from './messages.ts'

// A key that one locale lacks would silently show the text of another.
const locales = await messageKeys()
const all = new Set([...locales.values()].flatMap((keys) => [...keys.keys()]))
const missing = [...locales].flatMap(([locale, keys]) =>
  [...all].filter((key) => !keys.has(key)).map((key) => `${locale}: ${key}`),
)
if (missing.length > 0) throw new Error(`Messages without a translation:\n${missing.join('\n')}`)

await compile(messages)
// The compiler leaves timers behind that would delay the exit by half a minute.
process.exit()
