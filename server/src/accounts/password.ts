import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Semaphore } from '../operations/semaphore.ts'

const derive = promisify(argon2)

/** OWASP's argon2id choice: 19 MiB, two passes. Stored with each hash, so that it can be raised later. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const LENGTH = 32

/** A hash takes 19 MiB and a thread of the pool that files and DNS also use: limited for the whole process. */
const hashing = new Semaphore({ atOnce: 2, queueLength: 64 })

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await argon2id(password, salt, COST)
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored)
  if (!match) throw new Error('a stored password hash is not in the argon2id form')
  const [, memory, passes, parallelism, salt = '', hash = ''] = match
  const expected = Buffer.from(hash, 'base64')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  return timingSafeEqual(await argon2id(password, Buffer.from(salt, 'base64'), cost), expected)
}

let decoy: Promise<string> | undefined

/** Takes as long as a real check, so that response times don't reveal which names exist. */
export async function verifyNothing(password: string): Promise<void> {
  decoy ??= hashPassword('nobody has this password')
  await verifyPassword(password, await decoy)
}

function argon2id(password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'))
  return hashing.run(() => derive('argon2id', { message, nonce, tagLength: LENGTH, ...cost }))
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
