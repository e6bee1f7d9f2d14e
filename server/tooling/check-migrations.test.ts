import { describe, expect, test } from 'vitest'
import { breakages } from './check-migrations.ts'

const migration = (sql: string, needs = 0) => breakages({ number: 20, sql, needs })

describe('check-migrations', () => {
  test.each([
    'ALTER TABLE notes DROP COLUMN body',
    'DROP TABLE notes',
    'ALTER TABLE notes RENAME COLUMN body TO text',
    'ALTER TABLE notes ALTER COLUMN body TYPE integer USING 0',
    'ALTER TABLE notes ALTER COLUMN body SET NOT NULL',
    'ALTER TABLE notes ADD COLUMN size integer NOT NULL',
    'ALTER TABLE notes ADD COLUMN a text DEFAULT 1, ADD COLUMN size integer NOT NULL',
    'ALTER TABLE notes ADD CHECK (size > 0)',
    'ALTER TABLE notes ADD CONSTRAINT one_body UNIQUE (body)',
    'TRUNCATE notes',
  ])('finds that the version before can’t use the database after %s', (sql) => {
    expect(migration(sql)).toHaveLength(1)
    // Unless it is known which version no longer needs it.
    expect(migration(`-- needs: 0019\n${sql}`, 19)).toEqual([])
  })

  test.each([
    'CREATE TABLE notes (id uuid PRIMARY KEY, body text NOT NULL CHECK (body <> $$drop$$))',
    'ALTER TABLE notes ADD COLUMN size integer',
    'ALTER TABLE notes ADD COLUMN size integer NOT NULL DEFAULT 0, ADD COLUMN hue text',
    'ALTER TABLE notes ALTER COLUMN body DROP NOT NULL',
    'CREATE INDEX ON notes (size) WHERE size IS NOT NULL',
    `-- Nothing is dropped.\nCREATE FUNCTION f() RETURNS void LANGUAGE sql AS $f$ DROP TABLE notes $f$`,
    `INSERT INTO words VALUES ('drop')`,
  ])('accepts %s', (sql) => {
    expect(migration(sql)).toEqual([])
  })

  test('refuses a migration that needs a version after itself', () => {
    expect(migration('DROP TABLE notes', 20)).toHaveLength(1)
  })
})
