import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { field, openRoom, row, say, sent, textsOf } from './chat-visit.ts'
import { SESSION_ENDED, signedOut, signIn } from '../portal-visit.ts'

const OFFLINE = 'No connection. Messages will be sent and received when you’re back online.'
const WAITING = 'Not sent yet. We’ll keep trying.'
const ORDER = ['first', 'second', 'third']
const SENDS = '**/portal/v1/rooms/*/messages'
const DISCONNECTED = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_FAILED|WebSocket|ERR_NETWORK/

describeInBrowser('unsent messages', ({ open }) => {
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
    // The client recognizes it by the repeated response, not by its text.
    await sent(page, 'only once').waitFor()
    expect(lost).toBe(false)
    expect(await textsOf(page)).toEqual(['only once'])
    await expect.poll(() => page.getByText('Not sent.').count()).toBe(0)
    await page.reload()
    await row(page, 'only once').waitFor()
    expect(await textsOf(page)).toEqual(['only once'])
  })

  test('two messages written offline arrive once and in order after a reload', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const page = await openRoom(open, { url: server.url, room }, owner, { excuses: [DISCONNECTED] })
    await page.getByText('No messages yet').waitFor()
    // As soon as the page has connected it works offline.
    // Not the socket of the page before, which may open just now.
    await page.reload({ waitUntil: 'commit' })
    await page.waitForEvent('websocket')
    await page.context().setOffline(true)
    await page.getByText(OFFLINE).waitFor()
    await say(page, 'first')
    await say(page, 'second')
    await row(page, 'second').getByText(WAITING).waitFor()
    await expect(page.reload()).rejects.toThrow('ERR_INTERNET_DISCONNECTED')

    await page.context().setOffline(false)
    await page.goto(`${server.url}/c/${room.channelId}/${room.id}`)
    await sent(page, 'second').waitFor()
    // If an answer was lost, both the message and its copy are shown until the server has answered again.
    await expect.poll(() => textsOf(page)).toEqual(['first', 'second'])
    const at = `/rooms/${room.id}/messages?channelId=${room.channelId}`
    const { messages } = expectOk(await people[0].get<{ messages: { text: string }[] }>(at))
    expect(messages.map(({ text }) => text).toReversed()).toEqual(['first', 'second'])
    await page.reload()
    await sent(page, 'second').waitFor()
    expect(await textsOf(page)).toEqual(['first', 'second'])
  })

  test('messages written offline in two tabs arrive once and in order, although one tab is closed', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const page = await openRoom(open, { url: server.url, room }, owner, { excuses: [DISCONNECTED] })
    const context = page.context()
    const tab = await context.newPage()
    await tab.goto(page.url())
    const posts: number[] = []
    context.on('response', (response) => {
      if (response.request().method() === 'POST' && response.url().endsWith('/messages')) posts.push(response.status())
    })
    for (const one of [page, tab]) {
      await one.getByText('No messages yet').waitFor()
      // Not the socket of the page before, which may open just now.
      await one.reload({ waitUntil: 'commit' })
      await one.waitForEvent('websocket')
    }
    await context.setOffline(true)
    for (const one of [page, tab]) await one.getByText(OFFLINE).waitFor()
    // Each tab shows what the other one wrote.
    await say(page, 'first')
    await row(tab, 'first').waitFor()
    await say(tab, 'second')
    await row(page, 'second').waitFor()
    await say(page, 'third')
    await row(tab, 'third').waitFor()
    await expect.poll(() => textsOf(tab).then((texts) => texts.map((text) => text.split('\n')[0]))).toEqual(ORDER)
    await page.close()
    await context.setOffline(false)
    await sent(tab, 'third').waitFor()
    await expect.poll(() => textsOf(tab)).toEqual(ORDER)
    const at = `/rooms/${room.id}/messages?channelId=${room.channelId}`
    const { messages } = expectOk(await people[0].get<{ messages: { text: string }[] }>(at))
    expect(messages.map(({ text }) => text).toReversed()).toEqual(ORDER)
    await expect.poll(() => posts).toEqual([201, 201, 201])
  })

  test('pending messages of a session that ended are neither sent nor shown when someone else signs in', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const [other] = people
    const path = `/c/${room.channelId}/${room.id}`
    const page = await open(server.url + path, { ...signedOut, excuses: [/ERR_FAILED/, SESSION_ENDED] })
    await signIn(page, owner)
    await page.getByText('No messages yet').waitFor()
    await page.route(SENDS, (route) => route.abort())
    await say(page, 'in my name only')
    await row(page, 'in my name only').getByText(WAITING).waitFor()
    expectOk(await owner.delete('/sessions'))
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.unroute(SENDS)
    await signIn(page, other)
    await say(page, 'hello')
    await sent(page, 'hello').waitFor()
    // The list is hidden for a moment while it is rendered anew.
    await expect.poll(() => textsOf(page)).toEqual(['hello'])
    const at = `/rooms/${room.id}/messages?channelId=${room.channelId}`
    const { messages } = expectOk(await other.get<{ messages: { text: string }[] }>(at))
    expect(messages.map(({ text }) => text)).toEqual(['hello'])
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
    await expect.poll(() => field(page).inputValue()).toBe('a bad word')
    await say(page, 'a better word')
    await sent(page, 'a better word').waitFor()
    expect(await textsOf(page)).toEqual(['a good word', 'a better word'])
  })

  test('signing out leaves neither unsent messages nor drafts in the browser', async () => {
    const { server, owner, room } = await channelFixture()
    const visit = { provokes: [/ERR_FAILED/], excuses: [SESSION_ENDED] }
    const page = await openRoom(open, { url: server.url, room }, owner, visit)
    await page.getByText('No messages yet').waitFor()
    await page.route(SENDS, (route) => route.abort())
    await say(page, 'nobody else reads this')
    await row(page, 'nobody else reads this').getByText(WAITING).waitFor()
    await field(page).fill('nobody else sees this draft')
    const stored = () => page.evaluate(() => JSON.stringify(localStorage))
    expect(await storedMessages(page)).toHaveLength(1)
    await expect.poll(stored).toContain('nobody else sees this draft')
    await page.getByRole('button', { name: owner.name }).first().click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    expect(await stored()).not.toContain('nobody else')
    expect(await storedMessages(page)).toEqual([])
  })

  test('a draft of a session that ended waits for its author, and is hidden when someone else signs in', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const [other] = people
    const path = `/c/${room.channelId}/${room.id}`
    const page = await open(server.url + path, { ...signedOut, excuses: [SESSION_ENDED] })
    const endSessions = async () => {
      expectOk(await owner.delete('/sessions'))
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    }
    await signIn(page, owner)
    await field(page).fill('to be continued')
    await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('to be continued')
    await endSessions()
    await signIn(page, owner)
    await field(page).waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('to be continued')

    await endSessions()
    await signIn(page, other)
    await field(page).waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('')
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
    await expect.poll(() => row(page, 'Not sent.').count()).toBe(1)

    await row(page, 'ok').getByRole('button', { name: 'Retry' }).click()
    await row(page, 'Not sent.').waitFor({ state: 'detached' })
    expect(await textsOf(page)).toEqual(['ok', 'ok', 'ok'])
    await page.reload()
    await row(page, 'ok').nth(2).waitFor()
  })
})

/** What this browser has stored to be sent. A page that is being left may open the empty database once more. */
function storedMessages(page: Page): Promise<unknown[]> {
  return page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name }) => name)
    if (!names.includes('portico.outbox')) return []
    const opening = indexedDB.open('portico.outbox')
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const reading = opening.result.transaction('messages').objectStore('messages').getAll()
    await new Promise((resolve) => reading.addEventListener('success', resolve))
    opening.result.close()
    return reading.result
  })
}
