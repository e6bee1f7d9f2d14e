import type { Room } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Bot } from '../../server/test/bot.ts'
import type { Person } from '../../server/test/person.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { Stream } from '../../server/test/stream.ts'
import { describeInBrowser } from '../browser.ts'
import { sent, signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, focused, newMessage, signedOut, signIn, tabTo } from '../portal-visit.ts'

async function declare(bot: Bot, ...names: string[]): Promise<void> {
  const commands = names.map((name) => ({ name, description: `What ${name} does`, usage: '<word>' }))
  expectOk(await bot.put('/commands', { commands }))
}

function fieldOf(page: Page, { name }: { name: string }): Locator {
  return page.getByRole('textbox', { name: `Message #${name}` })
}

/** Records the position of the composer in every frame. Returns a function that gives the positions for a room. */
async function watchField(page: Page): Promise<(room: { name: string }) => Promise<number[]>> {
  const seen = await page.evaluateHandle(() => {
    const places: Record<string, number[]> = {}
    const look = (): void => {
      const field = document.querySelector('main textarea')
      const name = field?.getAttribute('aria-label')
      if (field && name) places[name] = [...new Set([...(places[name] ?? []), field.getBoundingClientRect().left])]
      requestAnimationFrame(look)
    }
    look()
    return places
  })
  return ({ name }) =>
    seen.evaluate(async (places, label) => {
      // The look of this frame comes first.
      await new Promise((resolve) => requestAnimationFrame(resolve))
      return places[label] ?? []
    }, `Message #${name}`)
}

describeInBrowser('commands', ({ open }) => {
  test('have no button when none is declared, and a slash is plain text', async () => {
    const { server, people, bots, room, channel } = await channelFixture({ people: 1, bots: 1 })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, people[0]))
    const field = newMessage(page)
    await field.click()
    await page.keyboard.type('/')
    await expect.poll(() => page.getByRole('listbox').count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Commands' }).count()).toBe(0)

    await page.keyboard.type('shrug')
    await page.keyboard.press('Enter')
    await sent(page, '/shrug').waitFor()
    const { messages } = expectOk(
      await bots[0].get<{ messages: { text: string }[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`),
    )
    expect(messages.map(({ text }) => text)).toEqual(['/shrug'])
  })

  test('do not block writing when they fail to load, and appear when they load', async () => {
    const { server, people, bots, room, channel } = await channelFixture({ people: 1, bots: 1 })
    await declare(bots[0], '/deploy')
    const visit = { ...signedOut, provokes: [/status of 500/] }
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, visit)
    const written = Promise.withResolvers<void>()
    let requests = 0
    await page.route(`**/portal/v1/channels/${channel.id}/commands`, async (route) => {
      requests += 1
      if (requests === 1) return route.fulfill({ status: 500, body: '' })
      // The composer must not wait for a retry.
      await written.promise
      return route.continue()
    })
    await signIn(page, people[0])
    await newMessage(page).fill('at once')
    await newMessage(page).press('Enter')
    await sent(page, 'at once').waitFor()
    written.resolve()
    await page.getByRole('button', { name: 'Commands' }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('update live: in the declared order, each with its bot, a shared one twice', async () => {
    const { server, people, bots, room, channel } = await channelFixture({ people: 1, bots: 2 })
    // Bots are listed by name.
    const [first, second] = bots[0].name < bots[1].name ? bots : ([bots[1], bots[0]] as const)
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, people[0]))
    await newMessage(page).waitFor()

    await declare(first, '/zebra', '/apple')
    const button = page.getByRole('button', { name: 'Commands' })
    await button.waitFor()
    await declare(second, '/apple')
    await newMessage(page).click()
    await page.keyboard.type('/')
    const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
    await options.nth(2).waitFor()
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual([
        expect.stringMatching(new RegExp(`/zebra[^]*<word>[^]*What /zebra does[^]*${first.name}`)),
        expect.stringMatching(new RegExp(`/apple[^]*${first.name}`)),
        expect.stringMatching(new RegExp(`/apple[^]*${second.name}`)),
      ])
    await page.keyboard.type('app')
    await options.nth(2).waitFor({ state: 'detached' })
    await expect.poll(() => options.count()).toBe(2)

    await declare(first)
    await options.nth(1).waitFor({ state: 'detached' })
    await declare(second)
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await button.waitFor({ state: 'detached' })
  })

  test('are offered only by bots that can read and write in the room', async () => {
    const { server, owner, people, bots, room, channel, at, role, newRoom } = await channelFixture({
      people: 1,
      bots: 1,
    })
    await declare(bots[0], '/help')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, people[0]))
    const button = page.getByRole('button', { name: 'Commands' })
    await button.waitFor()

    const override = `${at}/rooms/${room.id}/overrides/${(await role('CHANNEL_BOT')).id}`
    expectOk(await owner.put(override, { allow: [], deny: ['write_text_room'] }))
    await button.waitFor({ state: 'detached' })
    expectOk(await owner.put(override, { allow: [], deny: [] }))
    await button.waitFor()

    const hidden = await newRoom('text', { private: true })
    const admit = async (memberIds: string[]) =>
      expectOk(await owner.put(`${at}/rooms/${hidden.id}/admissions`, { memberIds, roleIds: [] }))
    await admit([people[0].id])
    await page.goto(`${server.url}/c/${channel.id}/${hidden.id}`)
    await newMessage(page).waitFor()
    await expect.poll(() => button.count()).toBe(0)
    await admit([people[0].id, bots[0].id])
    await button.waitFor()
  })

  test('do not move the composer when switching rooms or channels', async () => {
    const { server, owner, bots, room, channel, at } = await channelFixture({ bots: 1 })
    const other = await channelFixture({ bots: 1 })
    for (const bot of [...bots, ...other.bots]) await declare(bot, '/help')
    expectOk(await owner.post(`${other.at}/join`))
    const make = async (who: Person, where: string, name: string, more: object = {}): Promise<Room> =>
      expectOk(await who.post<Room>(`${where}/rooms`, { type: 'text', name, ...more }))
    const second = await make(owner, at, 'second')
    const den = await make(owner, at, 'den', { private: true })
    const elsewhere = await make(other.owner, other.at, 'elsewhere')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
    })
    const button = page.getByRole('button', { name: 'Commands' })
    await button.waitFor()
    const placesOf = await watchField(page)
    // Late data would visibly move the composer.
    await page.route('**/commands', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue()
    })

    await page.getByRole('link', { name: den.name }).click()
    await fieldOf(page, den).waitFor()
    await button.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: second.name }).click()
    await fieldOf(page, second).waitFor()
    await button.waitFor()
    await page.locator(`a[href^="/c/${other.channel.id}"]`).click()
    await page.getByRole('link', { name: elsewhere.name }).click()
    await fieldOf(page, elsewhere).waitFor()
    await button.waitFor()

    const withButton = await placesOf(second)
    expect(withButton).toHaveLength(1)
    expect(await placesOf(den)).toHaveLength(1)
    expect(await placesOf(den)).not.toEqual(withButton)
    expect(await placesOf(elsewhere)).toEqual(withButton)
  })

  test('can be chosen with the keyboard alone and are sent as ordinary messages', async () => {
    const { server, people, bots, room, channel } = await channelFixture({ people: 1, bots: 1 })
    await declare(bots[0], '/deploy', '/destroy')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, people[0]))
    const field = newMessage(page)
    await field.focus()
    await page.keyboard.type('/de')
    const list = page.getByRole('listbox', { name: 'Commands' })
    await list.getByRole('option', { name: '/deploy', selected: true }).waitFor()
    await expect
      .poll(() => field.getAttribute('aria-activedescendant'))
      .toBe(await list.getByRole('option', { name: '/deploy' }).getAttribute('id'))
    await expect.poll(() => field.getAttribute('aria-controls')).toBe(await list.getAttribute('id'))
    await page.keyboard.press('ArrowDown')
    await list.getByRole('option', { name: '/destroy', selected: true }).waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await focused(page, field)

    await field.fill('')
    await page.keyboard.press('Shift+Tab')
    await tabTo(page, page.getByRole('button', { name: 'Commands' }))
    await page.keyboard.press('Enter')
    await list.waitFor()
    await focused(page, field)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await list.waitFor({ state: 'detached' })
    await expect.poll(() => field.inputValue()).toBe('/destroy ')
    await page.getByText('<word>').waitFor()
    await page.keyboard.type('portal')
    await page.keyboard.press('Enter')
    await page.getByRole('article').getByText('/destroy portal').waitFor()
  })

  test('are sent with Enter when typed in full', async () => {
    const { server, people, bots, room, channel } = await channelFixture({ people: 1, bots: 1 })
    await declare(bots[0], '/help')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, people[0]))
    await newMessage(page).click()
    await page.keyboard.type('/help')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('article').getByText('/help').waitFor()
    await page.getByRole('listbox').waitFor({ state: 'detached' })
  })

  test('say to their sender alone that the bot is offline, until it is back', async () => {
    const { server, people, bots, room, channel, owner } = await channelFixture({ people: 1, bots: 1 })
    const [bot] = bots
    await declare(bot, '/deploy')
    const address = `${server.url}/c/${channel.id}/${room.id}`
    const page = await open(address, signedIn(server.url, people[0]))
    const others = await open(address, signedIn(server.url, owner))
    const notice = page.getByText(`${bot.name} is offline and can’t answer now. Only you see this.`)
    const send = async (text: string): Promise<void> => {
      await newMessage(page).fill(text)
      await page.keyboard.press('Enter')
    }
    await send('/deploy api')
    await notice.waitFor()
    await sent(others, '/deploy api').waitFor()
    await expect.poll(() => others.getByText('is offline').count()).toBe(0)
    await newMessage(page).fill('hello')
    await notice.waitFor({ state: 'detached' })

    await send('/deploy again')
    await notice.waitFor()
    await Stream.of(server, bot)
    await notice.waitFor({ state: 'detached' })
  })

  test('don’t say so of a bot with a webhook, which gets its events while it is offline', async () => {
    const { server, people, bots, room, channel } = await channelFixture({ people: 1, bots: 2 })
    const [reached, unreached] = bots
    for (const bot of bots) await declare(bot, '/deploy')
    expectOk(await reached.put('/webhook', { url: 'https://bot.example.com/' }))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, people[0]))
    await newMessage(page).fill('/deploy api')
    await page.keyboard.press('Enter')
    await page.getByText(`${unreached.name} is offline and can’t answer now. Only you see this.`).waitFor()
    await expect.poll(() => page.getByText('is offline and can’t answer now').count()).toBe(1)
  })

  test('that no bot knows are pointed out while typing, and sent as plain text', async () => {
    const { server, people, bots, room, channel } = await channelFixture({ people: 1, bots: 1 })
    await declare(bots[0], '/deploy')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, people[0]))
    const hint = page.getByRole('status').filter({ hasText: 'No bot here knows' })
    await newMessage(page).click()
    await page.keyboard.type('/dep')
    await page.getByRole('listbox').waitFor()
    await expect.poll(() => hint.count()).toBe(0)
    await page.keyboard.type('art')
    await hint.getByText('No bot here knows /depart. It will be sent as an ordinary message.').waitFor()
    await page.keyboard.press('Enter')
    await sent(page, '/depart').waitFor()
    await hint.waitFor({ state: 'detached' })
    await page.keyboard.type('/dep now')
    await hint.getByText('No bot here knows /dep.').waitFor()
    await newMessage(page).fill('/etc/hosts')
    await hint.waitFor({ state: 'detached' })
  })
})
