import { createPrivateKey, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import type { Services } from '../operations/services.ts'
import { sealer } from '../secrets/secret-box.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly pushKeys: PushKeys
  }
}

/** The key pair that identifies this portal to push services (VAPID, RFC 8292). */
export interface PushKeys {
  /** An uncompressed point in base64url. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

/** The keys that all processes of a portal share. The first one creates them. */
export async function openPushKeys(services: Pick<Services, 'database' | 'secret' | 'log'>): Promise<PushKeys> {
  const { kysely } = services.database
  const { seal, open } = sealer(services.secret, 'push keys')
  const read = () => kysely.selectFrom('push_keys').select('sealed').executeTakeFirst()
  const found = await read()
  if (found && !isOpenedBy(open, found.sealed)) {
    services.log.warn('the portal secret is not the one that sealed its push keys: browsers have to subscribe again')
    await kysely.transaction().execute(async (db) => {
      await db.deleteFrom('push_keys').where('sealed', '=', found.sealed).execute()
      await sql`TRUNCATE push_subscriptions, pushes`.execute(db)
    })
  }
  await kysely
    .insertInto('push_keys')
    .values({ sealed: seal(JSON.stringify(await newKey())) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const stored = await read()
  if (!stored) throw new Error('the push keys were deleted while they were made')
  return keysOf(JSON.parse(open(stored.sealed)))
}

function isOpenedBy(open: (box: Buffer) => string, box: Buffer): boolean {
  try {
    open(box)
    return true
  } catch {
    return false
  }
}

async function newKey(): Promise<JsonWebKey> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'jwk' })
}

function keysOf(jwk: JsonWebKey): PushKeys {
  const [x, y] = [jwk.x ?? '', jwk.y ?? ''].map((coordinate) => Buffer.from(coordinate, 'base64url'))
  const point = Buffer.concat([Buffer.of(4), x ?? Buffer.of(), y ?? Buffer.of()])
  return { publicKey: point.toString('base64url'), privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) }
}
