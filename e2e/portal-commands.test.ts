import { expect, test } from 'vitest'
import type { Bot } from '../server/test/bot.ts'
import { done, world } from '../server/test/world.ts'
import { describeInBrowser } from './browser.ts'
import { sent } from './chat-visit.ts'
import { focused, newMessage, signedOut, signIn, tabTo } from './portal-visit.ts'

async function declare(bot: Bot, ...names: string[]): Promise<void> {
  const commands = names.map((name) => ({ name, description: `What ${name} does`, usage: '<word>' }))
  done(await bot.put('/commands', { commands }))
}

describeInBrowser('commands', ({ open }) => {
  test('without any declared there is no button, and a slash is text like any other', async () => {
    const { server, people, bots, room, channel } = await world({ people: 1, bots: 1 })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, people[0])
    const field = newMessage(page)
    await field.click()
    await page.keyboard.type('/')
    expect(await page.getByRole('listbox').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Commands' }).count()).toBe(0)

    await page.keyboard.type('shrug')
    await page.keyboard.press('Enter')
    await sent(page, '/shrug').waitFor()
    const { messages } = done(
      await bots[0].get<{ messages: { text: string }[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`),
    )
    expect(messages.map(({ text }) => text)).toEqual(['/shrug'])
  })

  test('come and go while one looks: in the declared order, each with its bot, one of two bots twice', async () => {
    const { server, people, bots, room, channel } = await world({ people: 1, bots: 2 })
    const [first, second] = bots
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, people[0])
    await newMessage(page).waitFor()

    await declare(first, '/zebra', '/apple')
    const button = page.getByRole('button', { name: 'Commands' })
    await button.waitFor()
    await declare(second, '/apple')
    await newMessage(page).click()
    await page.keyboard.type('/')
    const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
    await options.nth(2).waitFor()
    expect(await options.allInnerTexts()).toEqual([
      expect.stringMatching(new RegExp(`/zebra[^]*<word>[^]*What /zebra does[^]*${first.name}`)),
      expect.stringMatching(new RegExp(`/apple[^]*${first.name}`)),
      expect.stringMatching(new RegExp(`/apple[^]*${second.name}`)),
    ])
    await page.keyboard.type('app')
    await options.nth(2).waitFor({ state: 'detached' })
    expect(await options.count()).toBe(2)

    await declare(first)
    await options.nth(1).waitFor({ state: 'detached' })
    await declare(second)
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await button.waitFor({ state: 'detached' })
  })

  test('are offered only by bots that can read and write in the room', async () => {
    const { server, owner, people, bots, room, channel, at, role, newRoom } = await world({ people: 1, bots: 1 })
    await declare(bots[0], '/help')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, people[0])
    const button = page.getByRole('button', { name: 'Commands' })
    await button.waitFor()

    const override = `${at}/rooms/${room.id}/overrides/${(await role('CHANNEL_BOT')).id}`
    done(await owner.put(override, { allow: [], deny: ['write_text_room'] }))
    await button.waitFor({ state: 'detached' })
    done(await owner.put(override, { allow: [], deny: [] }))
    await button.waitFor()

    const hidden = await newRoom('text', { private: true })
    const admit = async (memberIds: string[]) =>
      done(await owner.put(`${at}/rooms/${hidden.id}/admissions`, { memberIds, roleIds: [] }))
    await admit([people[0].id])
    await page.goto(`${server.url}/c/${channel.id}/${hidden.id}`)
    await newMessage(page).waitFor()
    expect(await button.count()).toBe(0)
    await admit([people[0].id, bots[0].id])
    await button.waitFor()
  })

  test('are chosen by keyboard alone and sent as an ordinary message', async () => {
    const { server, people, bots, room, channel } = await world({ people: 1, bots: 1 })
    await declare(bots[0], '/deploy', '/destroy')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, people[0])
    const field = newMessage(page)
    await field.focus()
    await page.keyboard.type('/de')
    const list = page.getByRole('listbox', { name: 'Commands' })
    await list.getByRole('option', { name: '/deploy', selected: true }).waitFor()
    expect(await field.getAttribute('aria-activedescendant')).toBe(
      await list.getByRole('option', { name: '/deploy' }).getAttribute('id'),
    )
    expect(await field.getAttribute('aria-controls')).toBe(await list.getAttribute('id'))
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
    expect(await field.inputValue()).toBe('/destroy ')
    await page.getByText('<word>').waitFor()
    await page.keyboard.type('portal')
    await page.keyboard.press('Enter')
    await page.getByRole('article').getByText('/destroy portal').waitFor()
  })

  test('a command written out is sent by Enter', async () => {
    const { server, people, bots, room, channel } = await world({ people: 1, bots: 1 })
    await declare(bots[0], '/help')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, people[0])
    await newMessage(page).click()
    await page.keyboard.type('/help')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('article').getByText('/help').waitFor()
    await page.getByRole('listbox').waitFor({ state: 'detached' })
  })
})
