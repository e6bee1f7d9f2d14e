import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Migration {
  number: number
  name: string
  sql: string
  checksum: string
  /** Versions that know fewer migrations than this can't serve the migrated database. Zero: it only expands the schema. */
  needs: number
}

/** Reads `0001_name.sql`, `0002_….sql`, … in order. A gap or a duplicate number is a bug that tests find. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const file of files) {
    const [, digits, name] = /^(\d{4})_([a-z0-9_-]+)\.sql$/.exec(file) ?? []
    if (!digits || !name) throw new Error(`${file} is not named like a migration (0001_name.sql)`)
    const number = Number(digits)
    const expected = migrations.length + 1
    if (number < expected) throw new Error(`there are two migrations with the number ${digits}`)
    if (number > expected) throw new Error(`migration ${numbered(expected)} is missing before ${file}`)
    // A checkout on Windows may have other line ends than the one that was applied.
    const sql = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n')
    const needs = Number(/^-- needs: (\d{4})$/m.exec(sql)?.[1] ?? 0)
    migrations.push({ number, name, sql, checksum: createHash('sha256').update(sql).digest('hex'), needs })
  }
  return migrations
}

export function numbered(number: number): string {
  return String(number).padStart(4, '0')
}
