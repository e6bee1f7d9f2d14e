import type { Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser, type Visit, type Visitor } from '../browser.ts'
import { row } from '../chat/chat-visit.ts'
import { pictureFile, upload } from '../chat/files-visit.ts'
import { DISCONNECTED, openAnew, readBoth, twoRooms } from './offline-visit.ts'

const NO_CONNECTION = { name: 'No connection' }
/** Pages of settings aren’t stored. */
const NOT_LOADED = /Failed to fetch dynamically imported module|Unable to preload CSS/

/** The portal as it opens without a connection. */
async function openOffline(open: Visitor['open'], visit: Visit = {}) {
  const fixture = await twoRooms()
  const { server, at, owner, room, plans, people } = fixture
  expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'stand-up', type: 'voice' }))
  const file = await upload(people[0], room.id, await pictureFile('sunset.png'))
  await fixture.write(plans.id, 'the last word')
  await fixture.write(room.id, `a picture ${file.markdown}`)
  const before = await readBoth(open, fixture, visit)
  await before.context().setOffline(true)
  const page = await openAnew(before, server.url)
  await row(page, 'the last word').waitFor()
  return { ...fixture, page }
}

describeInBrowser('without a connection', ({ open }) => {
  test('panels say so, and load by themselves when it is back', async () => {
    const { page, people } = await openOffline(open)
    const panel = (name: string) => page.getByRole('complementary', { name })
    await panel('Members').getByText('This will load when the connection is back.').waitFor()
    await panel('Members').getByRole('heading', NO_CONNECTION).waitFor()
    await page.getByRole('button', { name: 'Pinned messages' }).click()
    await panel('Pinned messages').getByRole('heading', NO_CONNECTION).waitFor()
    await page.getByRole('button', { name: 'Search' }).first().click()
    await panel('Search').getByRole('searchbox').fill('word')
    await panel('Search').getByRole('heading', NO_CONNECTION).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.context().setOffline(false)
    await panel('Search').getByText('the last word').waitFor()
    await page.getByRole('button', { name: 'Members' }).first().click()
    await panel('Members').getByText(people[0].name).waitFor()
  })

  test('dialogs, voice rooms and settings say so, and load by themselves when it is back', async () => {
    const { page, people, server, room } = await openOffline(open, { excuses: [DISCONNECTED, NOT_LOADED] })
    const main = page.getByRole('main')
    await row(page, 'said in plans').getByRole('button', { name: people[0].name }).first().click()
    const card = page.getByRole('dialog').filter({ has: page.getByRole('heading', NO_CONNECTION) })
    await card.waitFor()
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: /^plans/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Notifications…' }).click()
    await page.getByRole('dialog', { name: 'Notifications: plans' }).getByRole('heading', NO_CONNECTION).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /^workshop/ }).click()
    await row(page, 'a picture').getByText('No connection').waitFor()
    await page.getByRole('link', { name: /^stand-up/ }).click()
    await main.getByRole('heading', NO_CONNECTION).waitFor()
    // Playwright connects pages before workers; the page must not learn of it in between.
    await page.context().addInitScript(() => {
      addEventListener('online', (event) => event.isTrusted && event.stopImmediatePropagation(), { capture: true })
    })
    const settings = await openAnew(page, `${server.url}/c/${room.channelId}/settings/roles`)
    await settings.getByRole('heading', NO_CONNECTION).waitFor()
    await settings.context().setOffline(false)
    await settings.evaluate(() => setTimeout(() => dispatchEvent(new Event('online'))))
    await settings.getByRole('heading', { name: 'Roles' }).first().waitFor()
  })
})
