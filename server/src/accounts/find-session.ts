import { LIMITS } from '@portico/contract'
import { batchReads } from '../db/batch.ts'
import type { Person } from '../operations/actor.ts'
import { placeOf, type LookAhead, type Positioned, type PlaceInput, type PlaceRow } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import { hashToken } from './session-token.ts'

/** A person, and when they last entered their password. */
export interface SignedInPerson extends Person {
  readonly signedInAt: string
}

interface Row extends Omit<SignedInPerson, 'kind'> {
  readonly hash: string
  /** Last use is stored to the minute, so that not every request is a write. */
  readonly stale: boolean
}

const PERSON = `
  encode(s.token_hash, 'hex') AS hash, s.id AS "sessionId", s.created_at AS "signedInAt",
  s.last_used_at < now() - interval '1 minute' AS stale,
  a.id, a.name, a.is_administrator AS "isAdministrator", a.avatar, a.avatar_version AS "avatarVersion"`

const IS_CURRENT = `s.last_used_at > now() - make_interval(secs => ${LIMITS.sessionLife})`

const READ = `SELECT ${PERSON} FROM sessions s JOIN accounts a ON a.id = s.account_id
  WHERE s.token_hash = ANY ($1::bytea[]) AND ${IS_CURRENT}`

/** Session and account are looked up for each requested row (hence the LIMITs): a join might read all of them. */
const READ_WITH_PLACE = `
  SELECT requested.position::int AS position, ${PERSON}, CASE WHEN place."channelId" IS NOT NULL THEN to_json(place) END AS place
  FROM unnest($1::bytea[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS requested (token_hash, channel_id, room_id, position)
  CROSS JOIN LATERAL (SELECT * FROM sessions s WHERE s.token_hash = requested.token_hash AND ${IS_CURRENT} LIMIT 1) s
  CROSS JOIN LATERAL (SELECT * FROM accounts WHERE id = s.account_id LIMIT 1) a
  LEFT JOIN LATERAL (${placeOf('a.id')}) place ON true`

const readSession = batchReads<Row>(async (pool, hashes) => {
  const { rows } = await pool.query<Row>({ name: 'sessions', text: READ, values: [hashes.map(bytesOf)] })
  return new Map(rows.map((row) => [row.hash, row]))
})

type Requested = readonly [hash: string, channelId: string | null, roomId: string | null]

interface PlacedRow extends Row {
  readonly place: PlaceRow | null
}

const readSessionAndPlace = batchReads<PlacedRow>(async (pool, keys) => {
  const requested = keys.map((key) => JSON.parse(key) as Requested)
  const values = [
    requested.map(([hash]) => bytesOf(hash)),
    requested.map(([, channelId]) => channelId),
    requested.map(([, , roomId]) => roomId),
  ]
  const statement = { name: 'sessions_and_places', text: READ_WITH_PLACE, values }
  const { rows } = await pool.query<PlacedRow & Positioned>(statement)
  return new Map(rows.map(({ position, ...row }) => [keys[position - 1] ?? '', row]))
})

function bytesOf(hash: string): Buffer {
  return Buffer.from(hash, 'hex')
}

type Needed = Pick<Services, 'database' | 'sessionUses'>

/** The person that this session token belongs to; undefined if it has ended. */
export async function findSession(
  { database: { pool }, sessionUses }: Needed,
  token: string,
): Promise<SignedInPerson | undefined> {
  const row = await readSession(pool, hashToken(token).toString('hex'))
  return row && personOf(row, sessionUses)
}

/** The same, with all that decides what they may do in a place: in one statement, because most requests need both. */
export async function findSessionAt(
  { database: { pool }, sessionUses }: Needed,
  token: string,
  at: PlaceInput,
): Promise<{ readonly person: SignedInPerson; readonly lookAhead: LookAhead } | undefined> {
  const requested: Requested = [hashToken(token).toString('hex'), at.channelId ?? null, at.roomId ?? null]
  const found = await readSessionAndPlace(pool, JSON.stringify(requested))
  if (!found) return undefined
  const { place, ...row } = found
  return { person: personOf(row, sessionUses), lookAhead: { at, row: place ?? undefined } }
}

function personOf(row: Row, sessionUses: Services['sessionUses']): SignedInPerson {
  const { hash: _, stale, ...person } = row
  if (stale) sessionUses.note(person.sessionId)
  return { kind: 'person', ...person }
}
