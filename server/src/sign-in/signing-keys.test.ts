import { createPublicKey, verify, type JsonWebKey } from 'node:crypto'
import fastify from 'fastify'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { Person } from '../../test/person.ts'
import { startServer, type TestServer } from '../../test/start-server.ts'
import { Website } from '../../test/website.ts'
import { setUpCode } from '../accounts/set-up.ts'
import { peopleLimits } from '../http/limit-people.ts'
import { currentProvider } from './current-provider.ts'
import { mountProvider } from './mount-provider.ts'
import { openSignInKeys } from './sign-in-keys.ts'
import { rotate } from './signing-keys.ts'

type Case = [what: string, ages: Record<string, number>, published: string[], ended: string[]]

describe('rotate', () => {
  test.each<Case>([
    ['the first one is made', {}, ['jwks'], []],
    ['the only one signs at once', { jwks: 0 }, ['jwks'], []],
    ['one signs for 90 days', { jwks: 89.9 }, ['jwks'], []],
    ['the next is made after 90 days, and does not sign yet', { jwks: 90 }, ['jwks', 'jwks 2'], []],
    ['the next is only published for a day', { jwks: 90.9, 'jwks 2': 0.9 }, ['jwks', 'jwks 2'], []],
    ['it signs then, and the one before is still published', { jwks: 91, 'jwks 2': 1 }, ['jwks 2', 'jwks'], []],
    ['a day later the one before is not', { jwks: 92, 'jwks 2': 2 }, ['jwks 2'], []],
    ['and then it is deleted', { jwks: 93, 'jwks 2': 3 }, ['jwks 2'], ['jwks']],
    ['the one after the ninth is the tenth', { 'jwks 9': 91 }, ['jwks 9', 'jwks 10'], []],
  ])('%s', (_what, ages, published, ended) => {
    const keys = Object.entries(ages).map(([purpose, days]) => ({ purpose, days }))
    expect(rotate(keys)).toEqual({ published, ended })
  })
})

describe('the signing key', () => {
  const PORTICO_SECRET = 'the same on all machines of a portal'

  test('rotates while websites can always verify their tokens', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    let server = await startServer({ DATABASE_URL, PORTICO_SECRET })
    const owner = await new Person(server).setUp(setUpCode(server.services.secret))
    const site = await Website.of({ publicUrl: server.services.config.PUBLIC_URL, addressOf: () => server.url }, owner)
    const idToken = async (): Promise<string> => (await site.tokensFor(owner)).id_token ?? ''
    const restartAfter = async (days: number): Promise<void> => {
      await age(server, days)
      await server.close()
      server = await startServer({ DATABASE_URL, PORTICO_SECRET })
    }
    const before = await idToken()

    await restartAfter(90)
    const meanwhile = await idToken()
    expect(kidOf(meanwhile)).toBe(kidOf(before))
    expect(await publishedBy(server)).toHaveLength(2)

    await restartAfter(1)
    const after = await idToken()
    expect(kidOf(after)).not.toBe(kidOf(before))
    for (const token of [before, meanwhile, after]) expect(isSignedBy(token, await publishedBy(server))).toBe(true)

    await age(server, 1)
    const signing = (await publishedBy(server)).find(({ kid }) => kid === kidOf(after))
    // Two concurrent readers agree.
    for (const { jwks } of await Promise.all([openSignInKeys(server.services), openSignInKeys(server.services)]))
      expect(jwks.keys).toMatchObject([{ n: signing?.n }])

    await age(server, 1)
    await openSignInKeys(server.services)
    const rows = await server.services.database.kysely.selectFrom('sign_in_keys').select('purpose').execute()
    expect(rows.map(({ purpose }) => purpose).toSorted()).toEqual(['cookies', 'jwks 2'])
  })

  test('rotates in a running process', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const server = await startServer({ DATABASE_URL, PORTICO_SECRET })
    const { services } = server
    const app = fastify()
    onTestFinished(() => app.close())
    mountProvider(app, currentProvider(services, 0), services, peopleLimits(app, services))
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const published = (): Promise<PublicKey[]> => publishedBy({ url })

    const [known] = await published()
    expect(await publishedBy(server)).toEqual([known])
    await age(server, 90)
    expect(await published()).toEqual([known, expect.anything()])
    await age(server, 2)
    const [next, ...others] = await published()
    expect(others).toEqual([])
    expect(next?.kid).not.toBe(known?.kid)
    // Nothing is read again before it is due.
    expect(await publishedBy(server)).toEqual([known])
  })
})

type PublicKey = JsonWebKey & { readonly kid: string }

async function publishedBy({ url }: Pick<TestServer, 'url'>): Promise<PublicKey[]> {
  const { keys } = (await (await fetch(`${url}/oauth/jwks`)).json()) as { keys: PublicKey[] }
  return keys
}

/** As if this many days had passed. */
async function age({ services }: TestServer, days: number): Promise<void> {
  await services.database.kysely
    .updateTable('sign_in_keys')
    .set({ created_at: sql`created_at - make_interval(days => ${days})` })
    .execute()
}

function kidOf(token: string): string {
  return (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid
}

function isSignedBy(token: string, keys: readonly PublicKey[]): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.')
  const key = keys.find(({ kid }) => kid === kidOf(token))
  if (!key) return false
  const signed = Buffer.from(`${head}.${claims}`)
  return verify('RSA-SHA256', signed, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url'))
}
