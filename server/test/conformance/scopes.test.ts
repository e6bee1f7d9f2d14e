import { SCOPES, type Scope } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { ALL_SCOPES } from '../bot.ts'
import { expectRefusal } from '../expect-refusal.ts'
import { expectShape, operationOf } from '../expect-shape.ts'
import type { Answer } from '../person.ts'
import { botApiFixture } from '../bot-api-fixture.ts'
import { EVENT_ROWS, operationAt, ROWS } from './service-table.ts'

const ALL_ROWS = [...ROWS, ...EVENT_ROWS]

/** Which scope each route requires. */
describe('scopes', () => {
  const fixture = botApiFixture()

  test('are the seven documented ones', () => {
    const table = ['channel:read', 'messages:read', 'messages:write', 'voice', 'events', 'moderation', 'commands']
    expect(Object.keys(SCOPES)).toEqual(table)
  })

  test.each(ALL_SCOPES)(
    'a key without %s meets 403 with requiredScope on its routes, and works on all others',
    async (missing) => {
      const { bot, call } = await fixture
      await bot.reissue(ALL_SCOPES.filter((scope) => scope !== missing))

      for (const row of ALL_ROWS) {
        const [name] = operationAt(row)
        const answer = await call(name)
        if (row.scope === missing) {
          expectRefusal(answer, 'forbidden', { message: `The key lacks the scope ${missing}.`, requiredScope: missing })
        } else {
          expectOpen(name, answer)
        }
      }
    },
  )

  test.each(ALL_SCOPES)('a key with %s alone opens its routes, GET /me and nothing else', async (only) => {
    const { bot, call } = await fixture
    await bot.reissue([only])

    for (const row of ALL_ROWS) {
      const [name] = operationAt(row)
      const answer = await call(name)
      if (row.scope === null || row.scope === only) expectOpen(name, answer)
      else expectRefusal(answer, 'forbidden', { message: expect.any(String), requiredScope: row.scope })
    }
  })

  test('a key without any scope still reads GET /me and its scopes, and can revoke itself', async () => {
    const { bot } = await fixture
    await bot.reissue([])
    expectShape('getProfile', await bot.get('/me'))
    const scopes = await bot.get('/me/scopes')
    expectShape('getScopes', scopes)
    expect(scopes.body).toEqual({ scopes: [] })
    await bot.reissue(['voice', 'events'])
    expect((await bot.get('/me/scopes')).body).toEqual({ scopes: ['voice', 'events'] })
    expectShape('revokeKey', await bot.delete('/key'))
    expectRefusal(await bot.get('/me'), 'unauthorized')
  })

  test('are chosen again when a key is re-issued: routes of a removed scope answer 403', async () => {
    const { bot, call } = await fixture
    await bot.reissue()
    expectShape('listCommands', await call('listCommands'))
    await bot.reissue(['voice'])
    expectRefusal(await call('listCommands'), 'forbidden', { message: expect.any(String), requiredScope: 'commands' })
    expectShape('joinVoice', await call('joinVoice'))
  })

  test('a role does not replace a missing scope, nor a scope a missing right', async () => {
    const { bot, call, allow } = await fixture
    await bot.reissue(['messages:read'] satisfies Scope[])
    expectRefusal(await call('sendMessage'), 'forbidden', {
      message: expect.any(String),
      requiredScope: 'messages:write',
    })
    await allow(bot)
    expectRefusal(await call('listMessages'), 'forbidden', {
      message: expect.any(String),
      requiredRight: 'read_text_room',
    })
  })

  test('every route declares its scope as data of the contract', () => {
    for (const row of ALL_ROWS) expect(operationOf(operationAt(row)[0]).scope ?? null, row.at).toBe(row.scope)
  })
})

/** The request was authorized. Webhook routes fail at the address, because tests must not use a public one. */
function expectOpen(name: string, answer: Answer): void {
  if (name === 'setWebhook') expectRefusal(answer, 'badRequest', { field: 'url', reason: 'webhook_address' })
  else if (name === 'getWebhook') expectRefusal(answer, 'notFound')
  else expectShape(name, answer)
}
