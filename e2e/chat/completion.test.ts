import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser, type Visit, type Visitor } from '../browser.ts'
import { openRoom, sent, signedIn } from './chat-visit.ts'
import { furnish, newMessage, PHONE } from '../portal-visit.ts'

/** What can be completed: the typed text and the result. */
const COMPLETIONS = [
  { typed: '@borj', written: '@Borja', shown: '@Borja' },
  { typed: '#pla', written: '#plans', shown: '#plans' },
  { typed: ':thumbsu', written: '👍', shown: '👍' },
  { typed: '/depl', written: '/deploy', shown: '/deploy' },
] as const

/** A room with a member, another room, a command and emoji to complete, opened by its owner. */
async function openFurnished(open: Visitor['open'], visit: Visit = {}): Promise<Page> {
  const { server, owner, people, bots, at, room } = await channelFixture({ people: 2, bots: 1 })
  await furnish({ owner, at })
  for (const [index, nickname] of ['Borja', 'Borja Nunez'].entries())
    expectOk(await owner.put(`${at}/members/${people[index]?.id}/nickname`, { nickname }))
  expectOk(await bots[0].put('/commands', { commands: [{ name: '/deploy', description: 'Deploys' }] }))
  const page = await openRoom(open, { url: server.url, room }, owner, visit)
  await newMessage(page).waitFor()
  return page
}

/** Types the beginning and waits for the suggestion. */
async function begin(page: Page, typed: string): Promise<void> {
  await newMessage(page).click()
  await page.keyboard.type(typed)
  await page.getByRole('option', { selected: true }).waitFor()
}

describeInBrowser('completion', ({ open }) => {
  test('inserts names as mentions and rooms as links', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 2 })
    await furnish({ owner, at })
    const [ada, boris] = people
    expectOk(await owner.put(`${at}/members/${boris.id}/nickname`, { nickname: 'Борис Лем' }))
    const address = `${server.url}/c/${channel.id}/${room.id}`
    const page = await open(address, signedIn(server.url, ada))
    const field = newMessage(page)
    await field.click()
    await page.keyboard.type('hello @лем')
    await page.getByRole('option', { name: 'Борис Лем', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('hello @Борис Лем ')
    await page.keyboard.type('see #pla')
    await page.getByRole('option', { name: 'plans', selected: true }).waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => field.inputValue()).toBe('hello @Борис Лем see #plans ')
    await page.keyboard.press('Enter')
    // A pending message shows the typed text; the link appears when the server has stored it.
    await page.getByRole('article').getByRole('link', { name: '#plans' }).waitFor()
    await page.getByRole('article').getByText('@Борис Лем').waitFor()

    const { messages } = expectOk(
      await owner.get<{ messages: { text: string }[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`),
    )
    expect(messages[0]?.text).toMatch(
      new RegExp(`^hello <@${boris.id}> see \\[#plans\\]\\(${server.url}/c/${channel.id}/[0-9a-f-]+\\)\\s*$`),
    )
    await page.getByRole('article').getByRole('link', { name: '#plans' }).click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
  })

  test('finds members by the account names that their nicknames hide', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 2 })
    const [ada, darya] = people
    expectOk(await ada.patch('/account', { name: `Ada Novak ${ada.name.slice(-6)}` }))
    expectOk(await darya.patch('/account', { name: `Дарья Орлова ${darya.name.slice(-6)}` }))
    expectOk(await owner.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Countess' }))
    expectOk(await owner.put(`${at}/members/${darya.id}/nickname`, { nickname: 'Dasha' }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    const field = newMessage(page)
    await field.click()
    await page.keyboard.type('@novak')
    await page.getByRole('option', { name: /^Countess Ada Novak/, selected: true }).waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => field.inputValue()).toBe('@Countess ')
    await page.keyboard.type('and @дар')
    await page.getByRole('option', { name: /^Dasha Дарья Орлова/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('@Countess and @Dasha ')
    await page.keyboard.press('Enter')
    await sent(page, 'Countess').waitFor()
    const history = `/rooms/${room.id}/messages?channelId=${channel.id}`
    const { messages } = expectOk(await owner.get<{ messages: { text: string }[] }>(history))
    expect(messages[0]?.text.trim()).toBe(`<@${ada.id}> and <@${darya.id}>`)
  })

  test('turns names typed by hand into what they look like, and shows whom they mean before', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 2 })
    await furnish({ owner, at })
    const [ada, boris] = people
    expectOk(await owner.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Ada Novak' }))
    expectOk(await owner.put(`${at}/members/${boris.id}/nickname`, { nickname: 'Борис Лем' }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    // Pasted, so that no list of suggestions is used.
    await newMessage(page).fill('@ada novak, @Борис Лем: see #plans :tada: `@Ada Novak`')
    const composer = page.locator('[data-landmark="composer"]')
    await composer.getByText('Will mention @Ada Novak, @Борис Лем').waitFor()
    await composer.getByText('Will link to #plans').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await newMessage(page).press('End')
    await newMessage(page).press('Enter')
    const said = sent(page, '🎉')
    await said.getByRole('button', { name: '@Ada Novak' }).waitFor()
    await said.getByRole('link', { name: '#plans' }).waitFor()
    await composer.getByText('Will mention').waitFor({ state: 'detached' })
    const history = `/rooms/${room.id}/messages?channelId=${channel.id}`
    const { messages } = expectOk(await owner.get<{ messages: { text: string }[] }>(history))
    expect(messages[0]?.text).toMatch(
      new RegExp(`^<@${ada.id}>, <@${boris.id}>: see \\[#plans\\]\\(\\S+\\) 🎉 \`@Ada Novak\`$`),
    )

    await said.hover()
    await said.getByRole('toolbar').getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('textbox', { name: 'Edit message' }).fill('only @борис лем :+1:')
    await page.keyboard.press('Enter')
    await sent(page, 'only @Борис Лем 👍').waitFor()
  })

  test('finds emoji by their names, ignores text that is no name, and keeps a closed list closed', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    const field = newMessage(page)
    await field.click()
    await page.keyboard.type('well done :thumbsu')
    await page.getByRole('listbox', { name: 'Emoji' }).getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('well done 👍 ')
    await field.fill('')

    await page.keyboard.type('@pers')
    const list = page.getByRole('listbox', { name: 'Members' })
    await list.getByRole('option', { name: people[0].name }).waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.type('on')
    await page.keyboard.press('Enter')
    await page.getByRole('article').getByText('@person').waitFor()
  })

  test('accepts with Enter, Tab or a click, and Enter then sends the message', async () => {
    const page = await openFurnished(open)
    for (const [index, way] of ['Enter', 'Tab', 'a click'].entries()) {
      for (const { typed, written, shown } of COMPLETIONS) {
        await begin(page, typed)
        if (way === 'a click') await page.getByRole('option', { selected: true }).click()
        else await page.keyboard.press(way)
        await expect.poll(() => newMessage(page).inputValue()).toBe(`${written} `)
        await page.keyboard.press('Enter')
        await sent(page, shown).nth(index).waitFor()
        await expect.poll(() => newMessage(page).inputValue()).toBe('')
      }
    }
  })

  test('sends what was typed when the list was closed with Escape, or continued after a name was accepted', async () => {
    const page = await openFurnished(open)
    for (const { typed } of COMPLETIONS) {
      await begin(page, typed)
      await page.keyboard.press('Escape')
      await page.getByRole('listbox').waitFor({ state: 'detached' })
      await page.keyboard.press('Enter')
      await sent(page, typed).waitFor()
    }

    await begin(page, '@borja')
    await page.getByRole('option', { name: 'Borja Nunez' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('nu')
    await page.keyboard.press('Enter')
    await sent(page, '@Borja nu').waitFor()
  })

  test('suggests a two-word name by its second word, and accepts before other words', async () => {
    const page = await openFurnished(open)
    await newMessage(page).click()
    await page.keyboard.type('@borja n')
    await page.getByRole('option', { name: 'Borja Nunez', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => newMessage(page).inputValue()).toBe('@Borja Nunez ')
    await page.keyboard.press('Enter')
    await sent(page, '@Borja Nunez').waitFor()

    for (const { typed, written, shown } of COMPLETIONS) {
      await newMessage(page).fill(' there')
      await page.keyboard.press('Home')
      await page.keyboard.type(typed)
      await page.getByRole('option', { selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await expect.poll(() => newMessage(page).inputValue()).toBe(`${written} there`)
      await page.keyboard.press('Enter')
      await sent(page, `${shown} there`).waitFor()
    }
  })

  test('accepts with a tap on a phone, and the button sends the message', async () => {
    const page = await openFurnished(open, { viewport: PHONE, hasTouch: true, isMobile: true })
    for (const { typed, written, shown } of COMPLETIONS) {
      await newMessage(page).tap()
      await page.keyboard.type(typed)
      await page.getByRole('option', { selected: true }).tap()
      await page.getByRole('listbox').waitFor({ state: 'detached' })
      await expect.poll(() => newMessage(page).inputValue()).toBe(`${written} `)
      await page.getByRole('button', { name: 'Send' }).tap()
      await sent(page, shown).waitFor()
    }
  })
})
