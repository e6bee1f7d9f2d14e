import { LIMITS, type UserScope } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../expect-refusal.ts'
import { expectShape } from '../expect-shape.ts'
import { signInFixture } from '../sign-in-fixture.ts'
import { expectOk, portal } from '../channel-fixture.ts'
import { operationAt, ROWS } from './service-table.ts'

/** What a website can read about a person who signed in to it. */
describe('user tokens', () => {
  test('GET /users/@me: id, name, avatar and the scopes of the token; no e-mail', async () => {
    const { site, person } = await signInFixture()
    const { access_token } = await site.tokensFor(person, { scope: 'openid service.identify' })
    const answer = await site.api('/users/@me', access_token)
    expectShape('getCurrentUser', answer)
    expect(answer.body).toEqual({
      id: person.id,
      name: person.name,
      avatar: `${person.id}.svg`,
      avatarVersion: 1,
      scopes: ['openid', 'service.identify'],
    })
  })

  test('GET /users/@me: returns a new name immediately', async () => {
    const { site, person } = await signInFixture()
    const { access_token } = await site.tokensFor(person)
    const name = `Renamed ${person.id.slice(-8)}`
    expectOk(await person.patch('/account', { name }))
    expect(expectOk(await site.api('/users/@me', access_token))).toMatchObject({ id: person.id, name })
  })

  test('GET /users/@me/channels: each channel with the person’s highest role', async () => {
    const { site, person, channel, newRole, give, owner } = await signInFixture()
    const { access_token } = await site.tokensFor(person)
    expect(expectOk(await site.api('/users/@me/channels', access_token))).toEqual({ channels: [] })
    expectOk(await person.post(`/channels/${channel.id}/join`))
    const answer = await site.api('/users/@me/channels', access_token)
    expectShape('listCurrentUserChannels', answer)
    expect(answer.body).toEqual({
      channels: [
        {
          id: channel.id,
          name: channel.name,
          image: channel.image,
          avatarVersion: channel.avatarVersion,
          role: { systemName: 'CHANNEL_MEMBER', name: 'Member' },
        },
      ],
    })
    await give(person, 'CHANNEL_MEMBER', await newRole('Helmsman', []))
    const { access_token: ofOwner } = await site.tokensFor(owner)
    expect(expectOk(await site.api('/users/@me/channels', access_token))).toMatchObject({
      channels: [{ role: { systemName: 'CUSTOM', name: 'Helmsman' } }],
    })
    expect(expectOk(await site.api('/users/@me/channels', ofOwner))).toMatchObject({
      channels: [{ id: channel.id, role: { systemName: 'CHANNEL_OWNER' } }],
    })
  })

  test.each([
    ['/users/@me', 'service.identify', 'openid service.channels.read'],
    ['/users/@me/channels', 'service.channels.read', 'openid service.identify'],
  ] as const)('GET %s without %s is 403 with requiredScope', async (path, requiredScope: UserScope, scope) => {
    const { site, person } = await signInFixture()
    const { access_token } = await site.tokensFor(person, { scope })
    expectRefusal(await site.api(path, access_token), 'forbidden', {
      message: `The token lacks the scope ${requiredScope}.`,
      requiredScope,
    })
  })

  test.each([
    ['nothing', ''],
    ['a token that is none', 'Bearer nonsense'],
    ['a scheme without a token', 'Bearer'],
    ['Basic', 'Basic bm9ib2R5Om5vdGhpbmc='],
    ['characters of all kinds', 'Bearer \x01\x7f%00'],
  ])('are missed where %s is sent: 401', async (_what, authorization) => {
    const { server } = await signInFixture()
    for (const path of ['/users/@me', '/users/@me/channels']) {
      const headers = { ...(authorization && { authorization }) }
      const response = await fetch(`${server.url}/api/v1${path}`, { headers }).catch(() => undefined)
      // HTTP libraries refuse to send some of these.
      if (!response) continue
      const body: unknown = await response.json()
      expectRefusal({ status: response.status, body, headers: response.headers }, 'unauthorized')
      expect(response.headers.get('x-ratelimit-limit')).toBe(String(LIMITS.requestQuota))
      expect(response.headers.get('x-ratelimit-remaining')).toBe(String(LIMITS.requestQuota))
    }
  })

  test('and keys are not accepted on each other’s routes', async () => {
    const { site, person, newBot, room, channel } = await signInFixture()
    const { access_token, refresh_token } = await site.tokensFor(person)
    const bot = await newBot()
    for (const authorization of [`Bot ${bot.key}`, `Bearer ${bot.key}`, `Bearer ${refresh_token}`]) {
      expectRefusal(await site.api('/users/@me', '', authorization), 'unauthorized')
    }
    for (const row of ROWS.filter(({ at }) => at.startsWith('GET '))) {
      const [, { at }] = operationAt(row)
      const path = at.replace('GET ', '').replace(':roomId', room.id).replace(':channelId', channel.id)
      expectRefusal(await site.api(path, access_token), 'unauthorized', {}, path)
    }
  })

  test('count against the request quota of the application, together with its key', async () => {
    const { site, person, owner } = await signInFixture()
    const { administrator } = await portal()
    const limits = { requests: 5, writes: 5 }
    expectOk(await administrator.put(`/applications/${site.applicationId}/limits`, limits))
    const { key } = expectOk(
      await owner.put<{ key: string }>(`/applications/${site.applicationId}/key`, { scopes: [] }),
    )
    const { access_token } = await site.tokensFor(person, { scope: 'service.identify' })

    const remaining: (string | null)[] = []
    const ask = async (path: string, authorization: string) => {
      const answer = await site.api(path, '', authorization)
      remaining.push(answer.headers.get('x-ratelimit-remaining'))
      expect(answer.headers.get('x-ratelimit-limit')).toBe('5')
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      return answer.status
    }
    expect(await ask('/users/@me', `Bearer ${access_token}`)).toBe(200)
    expect(await ask('/me', `Bot ${key}`)).toBe(200)
    // A request without the scope counts against the quota.
    expect(await ask('/users/@me/channels', `Bearer ${access_token}`)).toBe(403)
    expect(await ask('/users/@me', `Bearer ${access_token}`)).toBe(200)
    expect(await ask('/me', `Bot ${key}`)).toBe(200)
    expect(remaining).toEqual(['4', '3', '2', '1', '0'])

    const refused = await site.api<{ retryAfterSec: number }>('/users/@me', access_token)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.retryAfterSec))
    expect(await ask('/me', `Bot ${key}`)).toBe(429)
  })
})
