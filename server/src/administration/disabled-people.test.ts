import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { Person } from '../../test/person.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

async function setDisabled(person: Person, disabled: boolean): Promise<void> {
  const { administrator } = await portal()
  expectOk(await administrator.patch(`/administration/people/${person.id}`, { disabled }))
}

describe('applications of a disabled person', () => {
  test('are refused immediately, until the person is enabled', async () => {
    const { bots, owner, at } = await channelFixture({ bots: 1 })
    const [bot] = bots
    // Twice, to fill the access cache.
    for (const path of ['/me', '/me', at, at]) expect((await bot.get(path)).status).toBe(200)
    await setDisabled(owner, true)
    for (const path of ['/me', at, '/events/token']) expect((await bot.get(path)).status).toBe(401)
    await setDisabled(owner, false)
    for (const path of ['/me', at]) expect((await bot.get(path)).status).toBe(200)
  })

  test('lose their open streams with a terminal code, and cannot reconnect with a token', async () => {
    const { bots, owner, server } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const { token } = expectOk(await bot.get<{ token: string }>('/events/token'))
    const stream = await Stream.of(server, bot)
    const notified = new Promise<void>((resolve) =>
      server.services.bus.subscribe('keys', (id) => id === bot.id && resolve()),
    )
    await setDisabled(owner, true)
    await notified
    expect(await stream.disconnected).toMatchObject({ code: 3503 })
    const raw = await RawSocket.open(server)
    raw.send({ id: 1, connect: { token } })
    expect(await raw.closed).toMatchObject({ code: 3500 })

    await setDisabled(owner, false)
    const again = await RawSocket.open(server)
    expect(await again.ask({ id: 1, connect: { token } })).toMatchObject({ id: 1, connect: {} })
  })

  test('pause their webhooks, hold the events and send them when they resume', async () => {
    const { owner, receiver, at, room, newPerson, webhook } = await webhookFixture()
    const writer = await newPerson()
    expectOk(await writer.post(`${at}/join`))
    const write = async (text: string) =>
      expectOk(await writer.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    const texts = () => receiver.received.flatMap(({ text }) => /"text":"(\w+)"/.exec(text)?.[1] ?? [])

    await write('before')
    await receiver.until(() => texts().includes('before'))
    await eventually(webhook).toMatchObject({ pending: 0 })
    await setDisabled(owner, true)
    await write('meanwhile')
    await setDisabled(owner, false)
    await write('after')
    await receiver.until(() => texts().includes('after'))
    expect(texts()).toEqual(['before', 'meanwhile', 'after'])
    expectOk(await owner.post('/sessions', { name: owner.name, password: owner.password }))
    await eventually(webhook).toMatchObject({ active: true, held: 0, pending: 0 })
  })

  test('cannot sign anyone in to their websites until the person is enabled', async () => {
    const { site, person, owner } = await signInFixture()
    const { access_token, refresh_token } = await site.tokensFor(person)
    const code = await site.codeFor(person)
    await setDisabled(owner, true)
    expect((await site.api('/users/@me', access_token)).status).toBe(401)
    expect((await site.userinfo(access_token)).status).toBe(401)
    expect(await site.exchange(code)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await site.refresh(refresh_token)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    const page = await site.browserOf(person).open(site.authorizeUrl())
    expect(page.text).toContain('<meta name="sign-in-error" content="invalid_client"')

    await setDisabled(owner, false)
    expect((await site.api('/users/@me', access_token)).status).toBe(200)
    expect((await site.userinfo(access_token)).status).toBe(200)
    expect((await site.refresh(refresh_token)).status).toBe(200)
  })
})

describe('a new password', () => {
  test.each(['by its person', 'by an administrator'] as const)(
    'ends other sessions, their sockets and sign-ins at websites when it is set %s',
    async (by) => {
      const { site, person, server } = await signInFixture()
      const { administrator } = await portal()
      const { access_token, refresh_token } = await site.tokensFor(person)
      const code = await site.codeFor(person)
      const phone = new Person(server, person.name)
      expectOk(await phone.post('/sessions', { name: person.name, password: person.password }))
      const socket = await RawSocket.open(server, { cookie: phone.cookie, origin: server.url })
      await socket.ask({ id: 1, connect: {} })

      const newPassword = 'another horse battery'
      const { password: currentPassword } = person
      if (by === 'by its person') expectOk(await person.put('/account/password', { currentPassword, newPassword }))
      else expectOk(await administrator.put(`/administration/people/${person.id}/password`, { newPassword }))

      expect((await phone.get('/session')).status).toBe(204)
      expect((await person.get('/session')).status).toBe(by === 'by its person' ? 200 : 204)
      expect(await socket.closed).toMatchObject({ code: 3503 })
      expect((await site.api('/users/@me', access_token)).status).toBe(401)
      for (const answer of [await site.refresh(refresh_token), await site.exchange(code)]) {
        expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      }
    },
  )
})
