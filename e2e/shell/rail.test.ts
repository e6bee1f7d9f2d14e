import type { OwnChannel } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser, type Visitor } from '../browser.ts'
import { openRoom } from '../chat/chat-visit.ts'
import { OFFLINE_COPY, openAnew, readBoth, twoRooms } from '../offline/offline-visit.ts'
import { dragTo, focused, shortcutsLoaded } from '../portal-visit.ts'

const NAMES = ['Ateliers', 'Baker Street', 'Caravan', 'Dunes']

function tiles(page: Page): Locator {
  return page.getByRole('navigation', { name: 'Channels' }).locator('a[href^="/c/"]')
}

function tile(page: Page, name: string): Locator {
  return tiles(page).filter({ hasText: name })
}

/** Waits until the rail shows the channels in this order. */
async function shows(page: Page, ...names: string[]): Promise<void> {
  const shown = () =>
    tiles(page).evaluateAll((links) => links.map((link) => link.querySelector('.visually-hidden')?.textContent))
  await expect.poll(shown).toEqual(names)
}

function announced(page: Page, text: string): Promise<void> {
  return page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
}

async function saved(person: Person): Promise<string[]> {
  return expectOk(await person.get<{ channels: OwnChannel[] }>('/channels')).channels.map(({ name }) => name)
}

/** The names of the channels as the browser has stored them. */
function storedOrder(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const opening = indexedDB.open('portico.offline')
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const reading = opening.result.transaction('queries').objectStore('queries').get('["channels"]')
    await new Promise((resolve) => reading.addEventListener('success', resolve))
    opening.result.close()
    return (reading.result as { data: { name: string }[] }).data.map(({ name }) => name)
  })
}

/** A rail with four channels, once what sorts them is loaded. */
async function openRail(open: Visitor['open'], visit: Parameters<typeof openRoom>[3] = {}) {
  const fixture = await channelFixture()
  const { server, owner, room } = fixture
  for (const name of NAMES.slice(1)) expectOk(await owner.post('/channels', { name }))
  const page = await openRoom(open, { url: server.url, room }, owner, visit)
  await shows(page, ...NAMES)
  await sortable(page)
  return { ...fixture, page }
}

async function sortable(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('status').waitFor({ state: 'attached' })
}

describeInBrowser('the channels of the rail', ({ open }) => {
  test('are reordered with the mouse, on every device and for good', async () => {
    const { server, owner, room, page } = await openRail(open)
    const second = await openRoom(open, { url: server.url, room }, owner)
    await shows(second, ...NAMES)
    await sortable(second)

    await dragTo(page, tile(page, 'Dunes'), tile(page, 'Baker Street'))
    await shows(page, 'Ateliers', 'Dunes', 'Baker Street', 'Caravan')
    await announced(page, 'Moved Dunes to position 2 of 4')
    await shows(second, 'Ateliers', 'Dunes', 'Baker Street', 'Caravan')
    expect(await saved(owner)).toEqual(['Ateliers', 'Dunes', 'Baker Street', 'Caravan'])

    await dragTo(second, tile(second, 'Ateliers'), tile(second, 'Caravan'), 'lower')
    await shows(page, 'Dunes', 'Baker Street', 'Caravan', 'Ateliers')
    // Dragging is not a click.
    expect(new URL(second.url()).pathname).toBe(`/c/${room.channelId}/${room.id}`)
    await page.reload()
    await shows(page, 'Dunes', 'Baker Street', 'Caravan', 'Ateliers')

    expectOk(await owner.post('/channels', { name: 'Estuary' }))
    await shows(page, 'Dunes', 'Baker Street', 'Caravan', 'Ateliers', 'Estuary')
  })

  test('are reordered with the keyboard, which keeps the focus', async () => {
    const { server, owner, room, page } = await openRail(open)
    const second = await openRoom(open, { url: server.url, room }, owner)
    await tile(second, 'Dunes').focus()
    await sortable(second)

    await tile(page, 'Baker Street').focus()
    await page.keyboard.press('Control+Shift+ArrowDown')
    await announced(page, 'Moved Baker Street to position 3 of 4')
    await page.keyboard.press('Control+Shift+ArrowDown')
    await announced(page, 'Moved Baker Street to position 4 of 4')
    await shows(page, 'Ateliers', 'Caravan', 'Dunes', 'Baker Street')
    // There is no place further down.
    await page.keyboard.press('Control+Shift+ArrowDown')
    await focused(page, tile(page, 'Baker Street'))
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Control+Shift+ArrowUp')
    await announced(page, 'Moved Baker Street to position 1 of 4')
    await focused(page, tile(page, 'Baker Street'))
    await shows(second, 'Baker Street', 'Ateliers', 'Caravan', 'Dunes')
    await focused(second, tile(second, 'Dunes'))
    await expect.poll(() => saved(owner)).toEqual(['Baker Street', 'Ateliers', 'Caravan', 'Dunes'])

    await shortcutsLoaded(page)
    await page.keyboard.press('Control+/')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Move the channel up').waitFor()
  })

  test('are reordered from their menus', async () => {
    const { page, owner } = await openRail(open)
    await tile(page, 'Caravan').click({ button: 'right' })
    const menu = page.getByRole('menu', { name: 'Caravan' })
    await menu.getByRole('menuitem', { name: 'Move up' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await menu.getByRole('menuitem', { name: 'Move up' }).click()
    await announced(page, 'Moved Caravan to position 2 of 4')
    await shows(page, 'Ateliers', 'Caravan', 'Baker Street', 'Dunes')

    await tile(page, 'Ateliers').focus()
    await page.keyboard.press('Shift+F10')
    await focused(page, page.getByRole('menuitem', { name: 'Move down' }))
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Move down'])
    await page.keyboard.press('Enter')
    await shows(page, 'Caravan', 'Ateliers', 'Baker Street', 'Dunes')
    await focused(page, tile(page, 'Ateliers'))
    await expect.poll(() => saved(owner)).toEqual(['Caravan', 'Ateliers', 'Baker Street', 'Dunes'])
  })

  test('open their menu under a finger that rests on one', async () => {
    const { page } = await openRail(open, { hasTouch: true })
    const { x, y } = (await tile(page, 'Caravan').boundingBox()) ?? { x: 0, y: 0 }
    const touch = await page.context().newCDPSession(page)
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: x + 20, y: y + 20 }] })
    await page.locator('[data-held]').waitFor()
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await touch.detach()
    await page.getByRole('menu', { name: 'Caravan' }).getByRole('menuitem', { name: 'Move up' }).tap()
    await shows(page, 'Ateliers', 'Caravan', 'Baker Street', 'Dunes')
  })

  test('return to their places when the order can’t be saved', async () => {
    const { page, owner } = await openRail(open, { provokes: [/ERR_FAILED/] })
    await page.route('**/portal/v1/account/channel-order', (route) => route.abort())
    await tile(page, 'Caravan').focus()
    await page.keyboard.press('Control+Shift+ArrowUp')
    await page.getByRole('status').getByRole('button', { name: 'Close' }).waitFor()
    await shows(page, ...NAMES)
    await focused(page, tile(page, 'Caravan'))
    expect(await saved(owner)).toEqual(NAMES)
  })

  test('are in that order without a connection, too', async () => {
    const fixture = await twoRooms()
    for (const name of NAMES.slice(1)) expectOk(await fixture.owner.post('/channels', { name }))
    const before = await readBoth(open, fixture)
    await sortable(before)
    await tile(before, 'Dunes').focus()
    await before.keyboard.press('Control+Shift+ArrowUp')
    const sorted = ['Ateliers', 'Baker Street', 'Dunes', 'Caravan']
    await expect.poll(() => saved(fixture.owner)).toEqual(sorted)
    await shows(before, ...sorted)
    await expect.poll(() => storedOrder(before)).toEqual(sorted)
    await before.context().setOffline(true)
    const page = await openAnew(before, fixture.server.url)
    await page.getByText(OFFLINE_COPY).waitFor()
    await shows(page, ...sorted)
  })
})
