import type { Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { start } from '../server/src/start.ts'
import { silentLog } from '../server/test/silent-log.ts'
import { startRelay } from '../server/test/relay.ts'
import { expectOk, channelFixture } from '../server/test/channel-fixture.ts'
import { describeInBrowser } from './browser.ts'
import { field, openRoom, row, say, sent } from './chat-visit.ts'

const OFFLINE = 'No connection. Messages will be sent and received when you’re back online.'
const WAITING = 'Not sent yet. We’ll keep trying.'
const SENDS = '**/portal/v1/rooms/*/messages'
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
    await page.getByRole('region', { name: 'plans' }).getByText('Can’t reach the server.').waitFor()
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

  test('a message that is retried arrives once', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/ERR_FAILED/] })
    await page.getByText('No messages yet').waitFor()
    let lost = true
    await page.route('**/portal/v1/rooms/*/messages', async (route) => {
      if (!lost) return route.continue()
      lost = false
      // The message arrives, but the response doesn’t.
      await route.fetch()
      return route.abort()
    })
    await say(page, 'only once')
    // The client recognises it by the repeated response, not by its text.
    await sent(page, 'only once').waitFor()
    expect(lost).toBe(false)
    expect(await textsOf(page)).toEqual(['only once'])
    expect(await page.getByText('Not sent.').count()).toBe(0)
    await page.reload()
    await row(page, 'only once').waitFor()
    expect(await textsOf(page)).toEqual(['only once'])
  })

  test('two messages written offline arrive once and in order after a reload', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const page = await openRoom(open, { url: server.url, room }, owner, { excuses: [DISCONNECTED] })
    await page.getByText('No messages yet').waitFor()
    await page.context().setOffline(true)
    await page.getByText(OFFLINE).waitFor()
    await say(page, 'first')
    await say(page, 'second')
    await row(page, 'second').getByText(WAITING).waitFor()
    await expect(page.reload()).rejects.toThrow('ERR_INTERNET_DISCONNECTED')

    await page.context().setOffline(false)
    await page.goto(`${server.url}/c/${room.channelId}/${room.id}`)
    await sent(page, 'second').waitFor()
    expect(await textsOf(page)).toEqual(['first', 'second'])
    const at = `/rooms/${room.id}/messages?channelId=${room.channelId}`
    const { messages } = expectOk(await people[0].get<{ messages: { text: string }[] }>(at))
    expect(messages.map(({ text }) => text).toReversed()).toEqual(['first', 'second'])
    await page.reload()
    await sent(page, 'second').waitFor()
    expect(await textsOf(page)).toEqual(['first', 'second'])
  })

  test('pending messages of one room are sent from another after a restart', async () => {
    const { server, owner, people, room, newRoom } = await channelFixture({ people: 1 })
    const other = await newRoom('text')
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/ERR_FAILED/] })
    await page.getByText('No messages yet').waitFor()
    await page.route(SENDS, (route) => route.abort())
    await say(page, 'keep me')
    await row(page, 'keep me').getByText(WAITING).waitFor()
    await page.unroute(SENDS)
    const arrived = page.waitForResponse((response) => response.url().endsWith(`/rooms/${room.id}/messages`))
    await page.goto(`${server.url}/c/${room.channelId}/${other.id}`)
    expect((await arrived).status()).toBe(201)
    const at = `/rooms/${room.id}/messages?channelId=${room.channelId}`
    const { messages } = expectOk(await people[0].get<{ messages: { text: string }[] }>(at))
    expect(messages.map(({ text }) => text)).toEqual(['keep me'])
  })

  test('a pending message can be discarded, and the next one is sent', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/ERR_FAILED/] })
    await page.getByText('No messages yet').waitFor()
    await page.route(SENDS, (route) => route.abort())
    await say(page, 'never mind')
    await say(page, 'send me')
    await row(page, 'never mind').getByText(WAITING).waitFor()
    await row(page, 'never mind').getByRole('button', { name: 'Discard' }).click()
    await page.unroute(SENDS)
    await sent(page, 'send me').waitFor()
    await page.reload()
    await sent(page, 'send me').waitFor()
    expect(await textsOf(page)).toEqual(['send me'])
  })

  test('too many requests: the message is sent after Retry-After', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/status of 429/] })
    await page.getByText('No messages yet').waitFor()
    const body = { status: 'error', error: 'Too Many Requests', message: 'Too many requests.', retryAfterSec: 1 }
    await page.route(SENDS, (route) => route.fulfill({ status: 429, json: body }), { times: 1 })
    await say(page, 'in a hurry')
    await sent(page, 'in a hurry').waitFor()
    expect(await textsOf(page)).toEqual(['in a hurry'])
  })

  test('a refused message keeps its reason after a reload, and can be edited', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/status of 422/] })
    await page.getByText('No messages yet').waitFor()
    const body = { status: 'error', error: 'Unprocessable Entity', message: 'This word is not allowed.' }
    await page.route(SENDS, (route) => route.fulfill({ status: 422, json: body }), { times: 1 })
    await say(page, 'a bad word')
    await row(page, 'a bad word').getByText('Not sent. This word is not allowed.').waitFor()
    // It doesn't block later ones.
    await say(page, 'a good word')
    await sent(page, 'a good word').waitFor()
    await page.reload()
    await row(page, 'a bad word').getByText('Not sent. This word is not allowed.').waitFor()

    await row(page, 'a bad word').getByRole('button', { name: 'Edit' }).click()
    expect(await field(page).inputValue()).toBe('a bad word')
    await say(page, 'a better word')
    await sent(page, 'a better word').waitFor()
    expect(await textsOf(page)).toEqual(['a good word', 'a better word'])
  })

  test('signing out leaves no unsent message in the browser', async () => {
    const { server, owner, room } = await channelFixture()
    const visit = { provokes: [/ERR_FAILED/], excuses: [/status of 401/] }
    const page = await openRoom(open, { url: server.url, room }, owner, visit)
    await page.getByText('No messages yet').waitFor()
    await page.route(SENDS, (route) => route.abort())
    await say(page, 'nobody else reads this')
    await row(page, 'nobody else reads this').getByText(WAITING).waitFor()
    await page.getByRole('button', { name: owner.name }).first().click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('nobody else reads this')
  })

  test('sending the same text again leaves the refused message alone', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/status of 422/] })
    await page.getByText('No messages yet').waitFor()
    const body = { status: 'error', error: 'Unprocessable Entity', message: 'Not now.' }
    await page.route(SENDS, (route) => route.fulfill({ status: 422, json: body }), { times: 1 })
    await say(page, 'ok')
    await row(page, 'ok').getByText('Not sent.').waitFor()

    await say(page, 'ok')
    await sent(page, /^(?!.*Not sent).*ok/s).waitFor()
    // Also from another tab of the same person.
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'ok' }))
    await row(page, 'ok').nth(2).waitFor()
    expect(await row(page, 'Not sent.').count()).toBe(1)

    await row(page, 'ok').getByRole('button', { name: 'Retry' }).click()
    await row(page, 'Not sent.').waitFor({ state: 'detached' })
    expect(await textsOf(page)).toEqual(['ok', 'ok', 'ok'])
    await page.reload()
    await row(page, 'ok').nth(2).waitFor()
  })

  test('kicked while typing: the room disappears, and the draft is saved', async () => {
    const { server, owner, people, at, room } = await channelFixture({ people: 1 })
    const [person] = people
    // Requests that the page sends at the moment of the kick are refused.
    const excuses = [/status of 403 .*\/portal\/v1\/channels\//]
    const page = await openRoom(open, { url: server.url, room }, person, { excuses })
    await field(page).pressSequentially('What I always wanted to say')
    expectOk(await owner.delete(`${at}/members/${person.id}`))
    await page.getByRole('heading', { level: 2, name: 'Channel not found' }).waitFor()

    const { code } = expectOk(await owner.post<{ code: string }>(`${at}/invitations`, {}))
    expectOk(await person.post(`/invitations/${code}/accept`))
    await page.goto(`${server.url}/c/${room.channelId}/${room.id}`)
    expect(await field(page).inputValue()).toBe('What I always wanted to say')
  })

  test('a changed role: the permitted actions follow', async () => {
    const { server, owner, people, at, room, give } = await channelFixture({ people: 1 })
    const [person] = people
    const page = await openRoom(open, { url: server.url, room }, person)
    await say(page, 'hello')
    await row(page, 'hello').hover()
    await row(page, 'hello').getByRole('button', { name: 'Reply' }).waitFor()
    expect(await row(page, 'hello').getByRole('button', { name: 'Pin' }).count()).toBe(0)

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
    const page = await openRoom(open, place, owner, { provokes: [DISCONNECTED] })
    await say(page, 'before')
    await sent(page, 'before').waitFor()

    await server.close()
    await page.getByText(OFFLINE).waitFor()
    const config = { ...server.services.config, PORT: Number(new URL(server.url).port) }
    const again = await start({
      config,
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

async function textsOf(page: Page): Promise<string[]> {
  const texts = await page.getByRole('article').locator('.body').allInnerTexts()
  // While a row is being laid out, its text also contains the spaces between its elements.
  return texts.map((text) => text.trim())
}
