/**
 * Finds migrations that would break the version before, which serves the migrated database while the nodes of a cluster are
 * upgraded one by one. Such a migration says which version can: `-- needs: 0016` is the last migration of the oldest one.
 */
import { join } from 'node:path'
import { readMigrations, type Migration } from '../src/db/migration-files.ts'

/** What the version before may still read, or write in its own way. */
const BREAKS: readonly [RegExp, string][] = [
  [/\bDROP\b(?!\s+NOT\s+NULL)/i, 'drops something'],
  [/\bRENAME\b/i, 'renames something'],
  [/\bTRUNCATE\b/i, 'deletes rows'],
  [/\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b/i, 'changes the type of a column'],
  [/\bSET\s+NOT\s+NULL\b/i, 'makes a column required'],
  [/\bADD\s+(COLUMN\s+)?(?=[^,;]*\bNOT\s+NULL\b)(?![^,;]*\b(DEFAULT|GENERATED)\b)/i, 'adds a required column'],
  [/\bADD\s+(CONSTRAINT\s+\S+\s+)?(CHECK|UNIQUE|EXCLUDE|FOREIGN|PRIMARY)\b/i, 'adds a constraint to a table'],
]

/** Those up to this one were made before the first release: no version before has to work with them. */
const BEFORE_RELEASES = 15

export function breakages({ number, sql, needs }: Pick<Migration, 'number' | 'sql' | 'needs'>): string[] {
  if (needs >= number) return ['needs itself or a later one']
  if (needs > 0) return []
  return BREAKS.filter(([pattern]) => pattern.test(withoutBodies(sql))).map(([, what]) => what)
}

/** Without comments, and without functions and strings, whose text is not executed now. */
function withoutBodies(sql: string): string {
  return sql
    .replaceAll(/(\$\w*\$)[^]*?\1/g, `''`)
    .replaceAll(/'(?:[^']|'')*'/g, `''`)
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\/\*[^]*?\*\//g, '')
}

if (import.meta.main) {
  const [folder = join(import.meta.dirname, '../migrations')] = process.argv.slice(2)
  for (const migration of await readMigrations(folder)) {
    if (migration.number <= BEFORE_RELEASES) continue
    for (const what of breakages(migration)) {
      console.log(
        `server/migrations: ${migration.number} ${migration.name} ${what}: see “Migrations” in CONTRIBUTING.md`,
      )
      process.exitCode = 1
    }
  }
}
