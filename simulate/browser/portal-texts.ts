import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type PortalTexts = ReadonlyMap<string, string>

/** The texts of the portal in one language, by key. */
export async function readTexts(checkout: string, locale: string): Promise<PortalTexts> {
  const texts = new Map<string, string>()
  for await (const path of glob(join(checkout, `portal/messages/**/${locale}.json`))) {
    const content = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
    for (const [key, text] of Object.entries(content)) if (typeof text === 'string') texts.set(key, text)
  }
  return texts
}

/** A pattern that matches a text whatever is inserted into it. */
export function patternOf(text: string): RegExp {
  const parts = text.split(/\{[^}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`)
}
