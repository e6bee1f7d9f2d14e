import type { Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { start } from '../../server/src/start.ts'
import { silentLog } from '../../server/test/silent-log.ts'
import { startRelay } from '../../server/test/relay.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { field, openRoom, row, say, sent, textsOf } from './chat-visit.ts'
import { MEMBERSHIP_ENDED } from '../portal-visit.ts'

const OFFLINE = 'No connection. Messages will be sent and received when you’re back online.'
const WAITING = 'Not sent yet. We’ll keep trying.'
const DISCONNECTED = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_FAILED|WebSocket|ERR_NETWORK/

describeInBrowser('a lost connection', ({ open }) => {
  test('back online: missed messages are filled in, in order', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const place = { url: server.url, room }
    const page = await openRoom(open, place, owner, { provokes: [DISCONNECTED] })
    await say(page, 'before')
    await sent(page, 'before').waitFor()
    await page.context().setOffline(true)
    await page.getByText(OFFLINE).waitFor()

    const at = `/rooms/${room.id}/messages`
    for (const text of ['one', 'two', 'three']) {
      expectOk(await people[0].post(at, { channelId: room.channelId, text }))
    }
    await say(page, 'written in a tunnel')
    await row(page, 'written in a tunnel').getByText(WAITING).waitFor()

    await page.context().setOffline(false)
    await page.getByText(OFFLINE).waitFor({ state: 'detached' })
    await row(page, 'three').waitFor()
    await sent(page, 'written in a tunnel').waitFor()
    expect(await textsOf(page)).toEqual(['before', 'one', 'two', 'three', 'written in a tunnel'])
  })

  test('a room opened offline loads when the connection is back', async () => {
    const { server, owner, people, at, room } = await channelFixture({ people: 1 })
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const say = async (text: string) =>
      expectOk(await people[0].post(`/rooms/${plans.id}/messages`, { channelId: room.channelId, text }))
    await say('before')
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [DISCONNECTED] })
    await page.getByRole('link', { name: /^plans/ }).waitFor()
    await page.context().setOffline(true)
    await page.getByText(OFFLINE).waitFor()
    await page.getByRole('link', { name: /^plans/ }).click()
    await page.getByRole('region', { name: 'plans' }).getByText('This room isn’t available offline').waitFor()
    await say('meanwhile')

    await page.context().setOffline(false)
    await row(page, 'meanwhile').waitFor()
    await row(page, 'before').waitFor()
    expect(await textsOf(page)).toEqual(['before', 'meanwhile'])
  })

  test('repeated disconnects neither lose nor duplicate messages', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const relay = await startRelay(server.url)
    const page = await openRoom(open, { url: relay.url, room }, owner, { excuses: [DISCONNECTED] })
    await page.getByText('No messages yet').waitFor()
    const expected: string[] = []
    for (let round = 0; round < 4; round += 1) {
      relay.cut()
      // Random names of people never contain these.
      for (const text of [`cut ${round}, first`, `cut ${round}, second`]) {
        expected.push(text)
        expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
      }
      await row(page, `cut ${round}, second`).waitFor()
    }
    expect(await textsOf(page)).toEqual(expected)
  })

  test('kicked while typing: the room disappears, and the draft is saved', async () => {
    const { server, owner, people, at, room } = await channelFixture({ people: 1 })
    const [person] = people
    const page = await openRoom(open, { url: server.url, room }, person, { excuses: [MEMBERSHIP_ENDED] })
    await field(page).pressSequentially('What I always wanted to say')
    expectOk(await owner.delete(`${at}/members/${person.id}`))
    await page.getByRole('heading', { level: 2, name: 'You were removed from Ateliers', exact: true }).waitFor()

    const { code } = expectOk(await owner.post<{ code: string }>(`${at}/invitations`, {}))
    expectOk(await person.post(`/invitations/${code}/accept`))
    await page.goto(`${server.url}/c/${room.channelId}/${room.id}`)
    await expect.poll(() => field(page).inputValue()).toBe('What I always wanted to say')
  })

  test('a changed role: the permitted actions follow', async () => {
    const { server, owner, people, at, room, give } = await channelFixture({ people: 1 })
    const [person] = people
    const page = await openRoom(open, { url: server.url, room }, person)
    await say(page, 'hello')
    await row(page, 'hello').hover()
    await row(page, 'hello').getByRole('button', { name: 'Reply' }).waitFor()
    await expect.poll(() => row(page, 'hello').getByRole('button', { name: 'Pin' }).count()).toBe(0)

    await give(person, 'CHANNEL_MODERATOR')
    await row(page, 'hello').getByRole('button', { name: 'Pin' }).waitFor()
    expectOk(await owner.put(`${at}/members/${person.id}/chat-mute`, {}))
    await page.getByText('You’re muted here: you can read, but can’t write.').waitFor()
    await row(page, 'hello').getByRole('button', { name: 'Reply' }).waitFor({ state: 'detached' })
    expectOk(await owner.delete(`${at}/members/${person.id}/chat-mute`))
    await field(page).waitFor()

    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { writeRestricted: true }))
    await give(person, 'CHANNEL_MEMBER')
    await page.getByText('Posting is restricted in this room. You can read it.').waitFor()
  })

  test('a mute during a request: the refusal names the mute', async () => {
    const { server, owner, people, at, room } = await channelFixture({ people: 1 })
    const [person] = people
    const inRoom = `/rooms/${room.id}/messages`
    const { channelId } = room
    const { id } = expectOk(await owner.post<{ id: string }>(inRoom, { channelId, text: 'hello' }))
    expectOk(await owner.post(`${inRoom}/${id}/reactions`, { channelId, emoji: '👍' }))
    const page = await openRoom(open, { url: server.url, room }, person, { provokes: [/status of 403/] })
    const muted = `${at}/members/${person.id}/chat-mute`
    // The page sends the request before the mute; the server checks it after.
    await page.route('**/messages/*/reactions', async (route) => {
      expectOk(await owner.put(muted, {}))
      await route.continue()
    })
    await sent(page, 'hello').getByRole('button', { name: '👍, 1 reaction' }).click()
    await page.getByRole('status').getByText('You’re muted here: you can read, but can’t write.').waitFor()
    expectOk(await owner.delete(muted))
    await field(page).waitFor()

    await page.route('**/rooms/*/messages', async (route) => {
      expectOk(await owner.put(muted, {}))
      await route.continue()
    })
    await say(page, 'too late')
    await row(page, 'too late').getByText('You’re muted here: you can read, but can’t write.').waitFor()
  })

  test('two tabs of one person stay in sync', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await field(tab).waitFor()
    await say(page, 'from the first')
    await row(tab, 'from the first').waitFor()
    await say(tab, 'from the second')
    await row(page, 'from the second').waitFor()
    expect(await textsOf(page)).toEqual(await textsOf(tab))
  })

  test('the client reconnects to a restarted server', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const place = { url: server.url, room }
    // A load balancer in front of it answers 502.
    const page = await openRoom(open, place, owner, { provokes: [DISCONNECTED], excuses: [/status of 502/] })
    await say(page, 'before')
    await sent(page, 'before').waitFor()

    const { port } = new URL(server.app.listeningOrigin)
    await server.close()
    await page.getByText(OFFLINE).waitFor()
    const again = await start({
      config: { ...server.services.config, PORT: Number(port) },
      log: silentLog,
      progress: () => {},
      onDatabaseLost: () => {},
      onDisplaced: () => {},
    })
    try {
      expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'after' }))
      await row(page, 'after').waitFor()
      await page.getByText(OFFLINE).waitFor({ state: 'detached' })
      await say(page, 'here again')
      await row(page, 'here again').waitFor()
      expect(await textsOf(page)).toEqual(['before', 'after', 'here again'])
    } finally {
      await again.close()
    }
  })
})
