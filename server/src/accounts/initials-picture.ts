import { hueOf } from '@portico/contract/hue-of'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** An account's avatar while it has no picture: white initials on a colour of its own. */
export async function initialsPicture(db: Kysely<Tables>, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select('name')
    .where('id', '=', id)
    .unionAll(db.selectFrom('channels').select('name').where('id', '=', id))
    .executeTakeFirst()
  if (!row) return undefined
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" role="img"><rect width="128" height="128" fill="hsl(${hueOf(id)} 48% 31%)"/><text x="64" y="66" fill="#fff" font-family="Inter,system-ui,sans-serif" font-size="52" font-weight="600" text-anchor="middle" dominant-baseline="central">${escape(initials(row.name))}</text></svg>`
}

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
