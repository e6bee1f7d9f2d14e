import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { queryDatabase } from '../../test/query-database.ts'

/**
 * An index supports a foreign key if its first columns are columns of the key and identify one referenced row: all of
 * them, or some that are a key of the referenced table by themselves. A partial index supports it if it leaves out only rows
 * without a reference.
 */
const WITHOUT_INDEX = `
  SELECT format('%s: %s', f.conrelid::regclass, pg_get_constraintdef(f.oid)) AS reference
  FROM pg_constraint f
  WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace AND NOT EXISTS (
    SELECT FROM pg_index i
    CROSS JOIN LATERAL (
      SELECT array_agg(f.confkey[array_position(f.conkey, column_number)]) AS referenced
      FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (column_number, place)
      WHERE place <= (
        SELECT coalesce(min(p) - 1, cardinality(i.indkey::int2[]))
        FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS u (n, p) WHERE NOT n = ANY (f.conkey))
    ) l
    WHERE i.indrelid = f.conrelid AND l.referenced IS NOT NULL
      AND (l.referenced @> f.confkey OR EXISTS (
        SELECT FROM pg_index r
        WHERE r.indrelid = f.confrelid AND r.indisunique AND r.indpred IS NULL
          AND r.indkey::int2[] <@ l.referenced))
      AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = ANY (
        SELECT format('(%I IS NOT NULL)', attname) FROM pg_attribute
        WHERE attrelid = f.conrelid AND attnum = ANY (f.conkey))))
  ORDER BY 1`

describe('foreign keys', () => {
  test('each have an index that finds the referring rows when the referenced one is deleted', async () => {
    const { url } = await testDatabase()
    const found = await queryDatabase(url, WITHOUT_INDEX)
    expect(found.map(({ reference }) => reference)).toEqual([])
  })
})
