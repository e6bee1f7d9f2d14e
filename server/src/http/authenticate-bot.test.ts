import { describe, expect, test } from 'vitest'
import { channelFixture } from '../../test/channel-fixture.ts'

describe('credentials', () => {
  test('of the bot API and the portal API are not accepted by the other one', async () => {
    const { server, people, bots } = await channelFixture({ people: 1, bots: 1 })
    const portal = await fetch(`${server.url}/portal/v1/channels`, { headers: { authorization: `Bot ${bots[0].key}` } })
    expect(portal.status).toBe(401)
    const cookie = { cookie: 'portico=nonsense' }
    expect((await fetch(`${server.url}/api/v1/me`, { headers: cookie })).status).toBe(401)
    expect((await people[0].get('/me')).status).toBe(404)
  })
})
