import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StartError } from '../../db/start-error.ts'

/**
 * A backup is a `.tar.gz`: `manifest.json`, `files/…` (the data folder besides the database), `stored/<name>` (the files of
 * the file storage), `tables/<name>/0001.copy`, … (PostgreSQL's COPY text, whole rows in each) and at the end `complete.json`.
 */
export const format = 1

const manifest = Type.Object({
  format: Type.Integer(),
  createdAt: Type.String(),
  migration: Type.Object({ number: Type.Integer(), name: Type.String() }),
  tables: Type.Array(Type.Object({ name: Type.String(), columns: Type.Array(Type.String(), { minItems: 1 }) })),
})
export type Manifest = Static<typeof manifest>

/** Written last: a backup without it is incomplete. */
const complete = Type.Object({
  rows: Type.Record(Type.String(), Type.Integer()),
  sequences: Type.Array(Type.Object({ name: Type.String(), value: Type.String(), called: Type.Boolean() })),
})
export type Complete = Static<typeof complete>

const manifestCheck = Compile(manifest)
const completeCheck = Compile(complete)

export function parseManifest(json: string): Manifest {
  const value: unknown = JSON.parse(json)
  if (!manifestCheck.Check(value)) throw new Error('manifest.json is not that of a Portico backup')
  if (value.format > format) {
    throw new StartError(
      'The backup was written by a newer Portico, in a format that this one doesn’t know.',
      'Restore it with that version, or a newer one.',
    )
  }
  return value
}

export function parseComplete(json: string): Complete {
  const value: unknown = JSON.parse(json)
  if (!completeCheck.Check(value)) throw new Error('complete.json is not that of a Portico backup')
  return value
}
