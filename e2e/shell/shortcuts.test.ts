import type { Room } from '@portico/contract'
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, focused, furnish, newMessage, shortcutsLoaded, switcherField } from '../portal-visit.ts'

describeInBrowser('keyboard shortcuts', ({ open }) => {
  test('switch rooms, unread rooms and channels', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
    await furnish({ owner, at })
    const other = expectOk(await owner.post<{ id: string }>('/channels', { name: 'Elsewhere' }))
    const far = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'far', type: 'text' }))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    await title('workshop')
    await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'far' }).waitFor()
    await shortcutsLoaded(page)

    await page.keyboard.press('Alt+ArrowDown')
    await title('far')
    await page.keyboard.press('Alt+ArrowUp')
    await title('workshop')
    expectOk(await people[0].post(`/rooms/${far.id}/messages`, { channelId: channel.id, text: 'hi' }))
    await page.getByRole('link', { name: 'far text room, unread' }).waitFor()
    await page.keyboard.press('Alt+Shift+ArrowUp')
    await title('far')
    await page.keyboard.press('Control+Alt+ArrowDown')
    await page.waitForURL((url) => url.pathname.startsWith(`/c/${other.id}`))
  })

  test('open the switcher for rooms, channels and people', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
    await furnish({ owner, at })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await newMessage(page).waitFor()
    await shortcutsLoaded(page)

    await page.keyboard.press('Control+k')
    const field = switcherField(page)
    await focused(page, field)
    await page.keyboard.type('pla')
    await page.getByRole('option', { name: 'plans', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()

    await page.keyboard.press('Control+k')
    await focused(page, field)
    await page.keyboard.type(people[0].name)
    await page.getByRole('option', { name: people[0].name, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    const card = page.getByRole('dialog', { name: people[0].name })
    await card.getByText('Joined').waitFor()
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })

    await page.keyboard.press('Control+k')
    await focused(page, field)
    await page.keyboard.type('nothing is called that')
    await page.getByText('No matches.').waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
  })

  test.each([
    {
      opened: 'the switcher',
      keys: 'Control+k',
      arrives: (page: Page) => page.getByRole('heading', { level: 1, name: 'plans' }).waitFor(),
    },
    {
      opened: 'the search',
      keys: 'Control+Shift+f',
      arrives: (page: Page) => expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('pla'),
    },
  ])('give $opened what is typed while it is loaded', async ({ keys, arrives }) => {
    const { server, owner, at, channel, room } = await channelFixture()
    await furnish({ owner, at })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'plans' }).waitFor()
    await shortcutsListen(page)
    const scripts = await holdScripts(page)
    await page.keyboard.press(keys)
    await scripts.requested
    await page.keyboard.type('plax')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    scripts.release()
    await arrives(page)
    expect(await newMessage(page).inputValue()).toBe('')
    expect(await page.getByRole('article').count()).toBe(0)
  })

  test('open nothing if Esc is pressed before the switcher is loaded', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await shortcutsListen(page)
    const scripts = await holdScripts(page)
    await page.keyboard.press('Control+k')
    await scripts.requested
    await page.keyboard.press('Escape')
    const loaded = page.waitForEvent('requestfinished')
    scripts.release()
    await loaded
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
    await page.keyboard.type('hello')
    await expect.poll(() => newMessage(page).inputValue()).toBe('hello')
    expect(await switcherField(page).count()).toBe(0)
  })

  test('open the selected person even while the switcher searches for more letters', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await newMessage(page).waitFor()
    await shortcutsLoaded(page)
    const [start, end] = [people[0].name.slice(0, -1), people[0].name.slice(-1)]

    await page.keyboard.press('Control+k')
    await focused(page, switcherField(page))
    await page.keyboard.type(start)
    await page.getByRole('option', { name: people[0].name, selected: true }).waitFor()
    const searchesAll = (url: URL) => url.searchParams.get('text') === people[0].name
    // Never answered.
    await page.route(searchesAll, () => undefined)
    const searched = page.waitForRequest((request) => searchesAll(new URL(request.url())))
    await page.keyboard.type(end)
    await searched
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: people[0].name }).getByText('Joined').waitFor()
  })

  test('are listed, move between page sections, and typing starts a message', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
    })
    await newMessage(page).waitFor()
    await page.getByRole('complementary', { name: 'Members' }).getByRole('button', { name: owner.name }).waitFor()
    await shortcutsLoaded(page)
    await page.keyboard.press('Control+/')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await list.getByText('Jump to a room, channel or person').waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })

    await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: channel.name }).focus()
    await page.keyboard.press('F6')
    await focused(page, page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'workshop' }))
    await page.keyboard.press('Shift+F6')
    await focused(page, page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: channel.name }))
    await page.keyboard.press('Shift+F6')
    await focused(page, page.getByRole('complementary').getByRole('button', { name: owner.name }))
    await page.keyboard.press('Shift+F6')
    await focused(page, newMessage(page))

    await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: channel.name }).focus()
    await page.keyboard.type('hello')
    await focused(page, newMessage(page))
    await page.keyboard.press('Enter')
    await page.getByRole('article').getByText('hello').waitFor()
  })
})

/** Like `shortcutsLoaded`, by a shortcut that loads nothing. The composer has the focus then. */
async function shortcutsListen(page: Page): Promise<void> {
  const field = newMessage(page)
  const moves = async (): Promise<boolean> => {
    await field.focus()
    await page.keyboard.press('F6')
    return field.evaluate((element) => element !== document.activeElement)
  }
  await expect.poll(moves).toBe(true)
  await field.focus()
}

/** Holds back what the page loads from now on. */
async function holdScripts(page: Page) {
  const requested = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route('**/_app/immutable/**', async (route: Route) => {
    requested.resolve()
    await released.promise
    await route.continue()
  })
  return { requested: requested.promise, release: () => released.resolve() }
}
