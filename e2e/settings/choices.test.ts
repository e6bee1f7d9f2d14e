import type { Account, Instance, Message, Role, Room } from '@portico/contract'
import type { Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk, newPortal } from '../../server/test/channel-fixture.ts'
import { visitAdministration } from '../administration/administration-visit.ts'
import { describeInBrowser } from '../browser.ts'
import { openSettings } from './channel-settings-visit.ts'
import { openRoom, sent, signedIn } from '../chat/chat-visit.ts'

/**
 * Holds back the first change that the page sends to this address, so that others could overtake it. Returns a function
 * that lets it go on, and waits until the server has answered it and the one after it.
 */
async function delayFirst(page: Page, address: RegExp): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const isChange = (request: Request): boolean => request.method() !== 'GET' && address.test(request.url())
  let isFirst = true
  let answered = 0
  await page.route(address, async (route) => {
    if (isFirst && isChange(route.request())) {
      isFirst = false
      await held.promise
    }
    await route.continue()
  })
  page.on('requestfinished', (request) => {
    if (isChange(request)) answered += 1
  })
  return async () => {
    held.resolve()
    await expect.poll(() => answered).toBe(2)
  }
}

describeInBrowser('a choice that is saved immediately', ({ open }) => {
  test('is the last one: registration', async () => {
    const { server, administrator } = await newPortal()
    const page = await visitAdministration(open, administrator, server, '/portal')
    const registration = page.getByRole('switch', { name: 'Anyone can create an account' })
    await expect.poll(() => registration.isChecked()).toBe(true)
    const release = await delayFirst(page, /\/instance$/)
    await registration.click()
    await registration.click()
    expect(await registration.isChecked()).toBe(true)
    await release()
    expect(expectOk(await administrator.get<Instance>('/instance')).registrationOpen).toBe(true)
    await expect.poll(() => registration.isChecked()).toBe(true)
  })

  test('is the last one: the theme', async () => {
    const { server, newPerson } = await channelFixture()
    const person = await newPerson()
    const page = await open(`${server.url}/settings/appearance`, signedIn(server.url, person))
    const theme = (name: string) => page.getByRole('main').getByRole('radio', { name })
    await theme('Dark').waitFor()
    const release = await delayFirst(page, /\/account$/)
    for (const name of ['Dark', 'System', 'Light']) await theme(name).check()
    await release()
    expect(expectOk(await person.get<{ account: Account }>('/session')).account.theme).toBe('light')
    await page.locator('html[data-theme="light"]').waitFor()
  })

  test('is the last one: the role of a bot', async () => {
    const { server, owner, channel, at, newRole, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    await newRole('Guide', [])
    const helper = await newRole('Helper', [])
    const page = await openSettings(open, { server, channel }, owner, 'bots')
    const role = page.getByRole('combobox', { name: `${bot.name}’s role` })
    await role.waitFor()
    const release = await delayFirst(page, /\/applications\/[^/]+$/)
    await role.selectOption('Guide')
    await role.selectOption('Helper')
    await release()
    const { installations } = expectOk(await owner.get<{ installations: { roleId: string }[] }>(`${at}/applications`))
    expect(installations).toMatchObject([{ roleId: helper.id }])
    await expect.poll(() => role.inputValue()).toBe(helper.id)
  })

  test('is the last one: muting a room, with its button and the shortcut', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    const mute = page.getByRole('button', { name: 'Mute room' })
    await mute.waitFor()
    const release = await delayFirst(page, /\/notifications$/)
    await mute.click()
    await mute.and(page.locator('[aria-pressed="true"]')).waitFor()
    await page.keyboard.press('Control+Shift+M')
    await mute.and(page.locator('[aria-pressed="false"]')).waitFor()
    await release()
    expect(expectOk(await owner.get(`/rooms/${room.id}/notifications`))).toMatchObject({ muted: false })
    await mute.and(page.locator('[aria-pressed="false"]')).waitFor()
  })

  test('is the last one: a reaction', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const { channelId } = room
    const at = `/rooms/${room.id}/messages`
    const { id } = expectOk(await owner.post<Message>(at, { channelId, text: 'hello' }))
    expectOk(await people[0].post(`${at}/${id}/reactions`, { channelId, emoji: '👍' }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    const reaction = sent(page, 'hello').getByRole('button', { name: /^👍/ })
    const release = await delayFirst(page, /\/reactions/)
    await reaction.click()
    await reaction.and(page.locator('[aria-pressed="true"]')).waitFor()
    await reaction.click()
    await reaction.and(page.locator('[aria-pressed="false"]')).waitFor()
    await release()
    const { messages } = expectOk(await owner.get<{ messages: Message[] }>(`${at}?channelId=${channelId}`))
    expect(messages[0]).toMatchObject({ reactions: [{ emoji: '👍', count: 1 }] })
    await sent(page, 'hello').getByRole('button', { name: '👍, 1 reaction', pressed: false }).waitFor()
  })

  test('is the last one: the order of rooms', async () => {
    const { server, owner, channel, at } = await channelFixture()
    for (const name of ['plans', 'leads']) expectOk(await owner.post(`${at}/rooms`, { name, type: 'text' }))
    const saved = async () => expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`)).rooms.map(({ name }) => name)
    const before = await saved()
    expect(before.at(-1)).toBe('leads')
    const page = await openSettings(open, { server, channel }, owner, 'rooms')
    const up = page.getByRole('button', { name: 'Move leads up' })
    await up.waitFor()
    const release = await delayFirst(page, /\/order$/)
    await up.click()
    await up.click()
    await release()
    const after = before.toSpliced(-1).toSpliced(-2, 0, 'leads')
    expect(await saved()).toEqual(after)
    const shown = page.getByRole('main').getByRole('button', { name: /^Move .* up$/ })
    await expect.poll(() => shown.evaluateAll((all) => all.map((one) => one.ariaLabel?.split(' ')[1]))).toEqual(after)
  })

  test('is the last one: the order of roles', async () => {
    const { server, owner, channel, newRole, roles } = await channelFixture()
    for (const name of ['Lead', 'Watch', 'Guests']) await newRole(name, [])
    const order = (all: readonly Role[]) =>
      all
        .toSorted((one, other) => other.rank - one.rank)
        .flatMap(({ name, systemName }) => (systemName === 'CUSTOM' ? [name] : []))
    expect(order(await roles())).toEqual(['Lead', 'Watch', 'Guests'])
    const page = await openSettings(open, { server, channel }, owner, 'roles')
    const up = page.getByRole('button', { name: 'Move Guests up' })
    await up.waitFor()
    const release = await delayFirst(page, /\/order$/)
    await up.click()
    await up.click()
    await release()
    expect(order(await roles())).toEqual(['Guests', 'Lead', 'Watch'])
    const list = page
      .getByRole('list', { name: 'Roles, highest first' })
      .getByRole('radio', { name: /^(Lead|Watch|Guests)/ })
    await expect
      .poll(() => list.evaluateAll((all) => all.map((one) => one.closest('li')?.querySelector('.name')?.textContent)))
      .toEqual(['Guests', 'Lead', 'Watch'])
  })
})
