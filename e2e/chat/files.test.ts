import type { Room } from '@portico/contract'
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { act, field, openRoom, row, say, sent } from './chat-visit.ts'
import {
  attachButton,
  choose,
  dragOver,
  entry,
  loaded,
  pictureFile,
  textFile,
  transfer,
  tray,
  upload,
} from './files-visit.ts'
import { focused, PHONE } from '../portal-visit.ts'

const MEGABYTE = 1024 ** 2
const DISCONNECTED = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|ERR_FAILED|WebSocket|ERR_NETWORK/

/** What the browser stores of attached files, apart from their contents. */
function storedFacts(page: Page): Promise<unknown[]> {
  return page.evaluate(
    () =>
      new Promise<unknown[]>((resolve) => {
        const opening = indexedDB.open('portico.attachments')
        opening.addEventListener('success', () => {
          const reading = opening.result.transaction('facts').objectStore('facts').getAll()
          reading.addEventListener('success', () => {
            opening.result.close()
            resolve(reading.result)
          })
        })
      }),
  )
}

describeInBrowser('attached files', ({ open }) => {
  test('are chosen, described and sent with the text, and everyone in the room sees them', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const place = { url: server.url, room }
    const page = await openRoom(open, place, owner)
    const reader = await openRoom(open, place, people[0])
    await choose(page, [await pictureFile('cat.png'), await pictureFile('собака (1).png'), textFile('plan.txt')])
    await focused(page, field(page))
    await entry(page, 'cat.png').getByRole('textbox').fill('A cat [asleep]')
    await say(page, 'From the weekend')
    await sent(page, 'From the weekend').waitFor()
    await tray(page).waitFor({ state: 'detached' })

    const message = row(reader, 'From the weekend')
    await loaded(message.getByRole('img'), 2)
    await message.getByRole('button', { name: 'Open picture: A cat (asleep)', exact: true }).waitFor()
    await message.getByRole('button', { name: 'Open picture: собака (1).png', exact: true }).waitFor()
    const downloading = reader.waitForEvent('download')
    await message.getByRole('link', { name: 'Download plan.txt' }).click()
    expect((await downloading).suggestedFilename()).toBe('plan.txt')
  })

  test('are pasted and dropped, and one that is too large is refused with the limit', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    await attachButton(page).waitFor()
    await transfer(field(page), 'paste', { name: 'pasted.bin', size: 100 })
    await entry(page, 'pasted.bin').waitFor()

    await dragOver(page.getByRole('main'))
    const target = page.getByRole('region', { name: 'Drop to attach to #workshop' })
    await target.getByText('Up to 25 MB each').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await transfer(target, 'drop', { name: 'dropped.bin', size: 25 * MEGABYTE + 1 })
    await target.waitFor({ state: 'detached' })
    await entry(page, 'dropped.bin').getByText('Too large: 25.1 MB. The limit is 25 MB.').waitFor()
    expect(await axeViolations(page)).toEqual([])

    await field(page).press('Enter')
    await page.getByRole('button', { name: 'Send', disabled: true }).waitFor()
    await tray(page).getByText('Remove the files that couldn’t be uploaded').waitFor()
    await entry(page, 'dropped.bin').getByRole('button', { name: 'Remove dropped.bin', exact: true }).click()
    await entry(page, 'dropped.bin').waitFor({ state: 'detached' })
    await field(page).press('Enter')
    await row(page, 'pasted.bin').getByRole('link', { name: 'Download pasted.bin' }).waitFor()
  })

  test('are canceled, or uploaded again after the server refused one', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/status of 422/] })
    const body = { status: 'error', error: 'Unprocessable', message: 'Full.', reason: 'storage_full' }
    let refusing = true
    await page.route('**/rooms/*/files?name=*', async (route) => {
      if (route.request().url().endsWith('held.txt')) return
      if (refusing) await route.fulfill({ status: 422, json: body })
      else await route.continue()
    })
    await choose(page, [textFile('held.txt'), textFile('plan.txt')])
    await entry(page, 'held.txt').getByRole('progressbar', { name: 'Uploading held.txt' }).waitFor()
    await entry(page, 'held.txt').getByRole('button', { name: 'Cancel upload of held.txt', exact: true }).click()
    await entry(page, 'held.txt').waitFor({ state: 'detached' })
    await focused(page, field(page))

    await entry(page, 'plan.txt').getByRole('alert').waitFor()
    refusing = false
    await entry(page, 'plan.txt').getByRole('button', { name: 'Retry plan.txt', exact: true }).click()
    await entry(page, 'plan.txt').getByRole('button', { name: 'Remove plan.txt', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await row(page, 'plan.txt').getByRole('link', { name: 'Download plan.txt' }).waitFor()
  })

  test('wait for a lost connection, and so does the message', async () => {
    const { server, owner, at, room } = await channelFixture()
    expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [DISCONNECTED] })
    await attachButton(page).waitFor()
    await choose(page, [textFile('first.txt')])
    await entry(page, 'first.txt').getByRole('button', { name: 'Remove first.txt', exact: true }).waitFor()
    await page.context().setOffline(true)
    await choose(page, [textFile('second.txt')])
    await entry(page, 'second.txt').getByText('No connection. We’ll keep trying.').waitFor()
    await page.getByRole('link', { name: /^plans/ }).click()
    await tray(page).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /^workshop/ }).click()
    await entry(page, 'second.txt').waitFor()

    await say(page, 'Two plans')
    await tray(page).getByText('The message will be sent when its files are uploaded.').waitFor()
    await page.context().setOffline(false)
    await sent(page, 'Two plans').getByRole('link', { name: 'Download second.txt' }).waitFor()
    await tray(page).waitFor({ state: 'detached' })
    expect(await field(page).inputValue()).toBe('')
  })

  test('leave the field to the next message while they are uploaded', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'A question' }))
    const held: Route[] = []
    await page.route('**/rooms/*/files?name=*', (route) => void held.push(route))
    await act(page, 'A question', 'Reply')
    await choose(page, [textFile('plan.txt')])
    await say(page, 'Here is the plan')
    const waiting = tray(page).getByText('Here is the plan')
    await waiting.waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.type('and the next')

    // Stopped, both are in the field, with the reply.
    await tray(page).getByRole('button', { name: 'Don’t send yet' }).click()
    await expect.poll(() => field(page).inputValue()).toBe('Here is the plan\nand the next')
    await page.getByText(`Replying to ${owner.name}`).waitFor()
    await say(page, 'Here is the plan')
    await waiting.waitFor()
    await page.keyboard.type('and the next')
    // Enter can’t let one message overtake the other.
    await page.keyboard.press('Enter')
    await expect.poll(() => held.length).toBe(1)
    await held[0]?.continue()
    await sent(page, 'Here is the plan').getByRole('link', { name: 'Download plan.txt' }).waitFor()
    await sent(page, 'Here is the plan').getByText('A question').waitFor()
    await tray(page).waitFor({ state: 'detached' })
    expect(await field(page).inputValue()).toBe('and the next')
    expect(await row(page, 'and the next').count()).toBe(0)
    await field(page).press('Enter')
    await sent(page, 'and the next').waitFor()
  })

  test('leave the text of their message to the next visit, if the page is closed before they are uploaded', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    await page.route('**/rooms/*/files?name=*', () => undefined)
    await choose(page, [textFile('plan.txt')])
    await say(page, 'Here is the plan')
    await tray(page).getByText('Here is the plan').waitFor()
    await page.keyboard.type('and the next')
    await page.reload()
    await expect.poll(() => field(page).inputValue()).toBe('Here is the plan\nand the next')
    await entry(page, 'plan.txt').waitFor()
  })

  test('name the room in which their message was left', async () => {
    const { server, owner, at, room } = await channelFixture()
    expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    await page.route('**/rooms/*/files?name=*', () => undefined)
    await choose(page, [textFile('plan.txt')])
    await say(page, 'Here is the plan')
    await tray(page).getByText('Here is the plan').waitFor()
    await page.getByRole('link', { name: /^plans/ }).click()
    await page.getByRole('status').filter({ hasText: 'Your message to #workshop wasn’t sent' }).waitFor()
    await page.getByRole('link', { name: /^workshop/ }).click()
    await entry(page, 'plan.txt').waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('Here is the plan')
  })

  test('survive a reload, even those that are still being uploaded', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    let holding = true
    await page.route('**/rooms/*/files?name=*', async (route) => {
      if (!holding) return route.continue()
      if (route.request().url().endsWith('plan.txt')) return undefined
      return route.continue()
    })
    await choose(page, [await pictureFile('cat.png'), textFile('plan.txt', 'twelve metres')])
    await entry(page, 'cat.png').getByRole('button', { name: 'Remove cat.png', exact: true }).waitFor()
    await entry(page, 'plan.txt').getByRole('progressbar').waitFor()
    await entry(page, 'cat.png').getByRole('textbox').fill('A cat')
    await field(page).fill('From the weekend')
    await expect
      .poll(() => storedFacts(page))
      .toMatchObject([{ alt: 'A cat', uploaded: { name: 'cat.png' } }, { alt: '' }])

    let uploads = 0
    page.on('request', (request) => (uploads += request.url().includes('/files?name=') ? 1 : 0))
    holding = false
    await page.reload()
    await entry(page, 'plan.txt').getByRole('button', { name: 'Remove plan.txt', exact: true }).waitFor()
    await expect.poll(() => entry(page, 'cat.png').getByRole('textbox').inputValue()).toBe('A cat')
    // Only what wasn't uploaded yet.
    expect(uploads).toBe(1)
    await field(page).press('Enter')
    const message = sent(page, 'From the weekend')
    await loaded(message.getByRole('img', { name: 'A cat' }), 1)
    await message.getByRole('link', { name: 'Download plan.txt' }).waitFor()
    await expect.poll(() => storedFacts(page)).toEqual([])
    await page.reload()
    await sent(page, 'From the weekend').waitFor()
    await field(page).waitFor()
    await tray(page).waitFor({ state: 'detached' })
  })

  test('ask before the page is left if this browser can’t store them', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    await attachButton(page).waitFor()
    await page.evaluate(() => {
      IDBObjectStore.prototype.add = () => {
        throw new DOMException('No space', 'QuotaExceededError')
      }
    })
    await choose(page, [textFile('plan.txt')])
    await entry(page, 'plan.txt').getByRole('button', { name: 'Remove plan.txt', exact: true }).waitFor()
    const opened = page.waitForEvent('dialog')
    const reloading = page.reload()
    const dialog = await opened
    expect(dialog.type()).toBe('beforeunload')
    await dialog.accept()
    await reloading
    await field(page).waitFor()
    await tray(page).waitFor({ state: 'detached' })
  })

  test('are offered only where the reader may write, and shown only to readers of their room', async () => {
    const { server, owner, people, room, newRoom } = await channelFixture({ people: 1 })
    const [person] = people
    const leads = await newRoom('text', { private: true })
    const restricted = await newRoom('text', { writeRestricted: true })
    const { markdown } = await upload(owner, leads.id, await pictureFile('secret.png'))
    const { channelId } = room
    expectOk(await owner.post(`/rooms/${leads.id}/messages`, { channelId, text: markdown }))
    expectOk(await person.post(`/rooms/${room.id}/messages`, { channelId, text: `Found\n\n${markdown}` }))

    const page = await openRoom(open, { url: server.url, room }, person, { provokes: [/status of 404/] })
    await row(page, 'Found').getByText('This picture isn’t available').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.goto(`${server.url}/c/${channelId}/${restricted.id}`)
    await page.getByText('Posting is restricted in this room. You can read it.').waitFor()
    await attachButton(page).waitFor({ state: 'detached' })
  })

  test('are attached on a phone', async () => {
    const { server, owner, room } = await channelFixture()
    const phone = { viewport: PHONE, hasTouch: true, isMobile: true }
    const page = await openRoom(open, { url: server.url, room }, owner, phone)
    await choose(page, [await pictureFile('cat.png'), textFile('plan.txt')])
    await entry(page, 'plan.txt').getByRole('button', { name: 'Remove plan.txt', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).tap()
    await loaded(row(page, 'plan.txt').getByRole('img'), 1)
    expect(await axeViolations(page)).toEqual([])
  })
})
