import { expect, test } from 'vitest'
import { manyMembers } from '../../server/test/many-members.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from './chat-visit.ts'
import { holdUnmute } from '../voice/hold-unmute.ts'
import { DESKTOP, focused, MEMBERSHIP_ENDED, PHONE } from '../portal-visit.ts'

/** The card of someone who is being removed may be requested once more. */
const MEMBER_GONE = /status of 422 .*\/members\//

describeInBrowser('members', ({ open }) => {
  test('update live: presence, roles and leaving', async () => {
    const { server, owner, people, bots, channel, room, give } = await channelFixture({ people: 2, bots: 1 })
    const [ada, boris] = people
    const address = `${server.url}/c/${channel.id}/${room.id}`
    const page = await open(address, { ...signedIn(server.url, owner), viewport: DESKTOP })
    const column = page.getByRole('complementary', { name: 'Members' })
    await column.getByRole('heading', { name: 'Owner — 1' }).waitFor()
    await column.getByRole('heading', { name: 'Offline — 3' }).waitFor()
    await column.getByRole('button', { name: `${ada.name} offline` }).waitFor()
    await column.getByRole('button', { name: `${bots[0].name} App offline` }).waitFor()

    const adas = await open(address, signedIn(server.url, ada))
    await column.getByRole('button', { name: `${ada.name} online` }).waitFor()
    await column.getByRole('heading', { name: 'Online — 1' }).waitFor()

    await give(ada, 'CHANNEL_MODERATOR')
    await column.getByRole('heading', { name: 'Moderator — 1' }).waitFor()
    expectOk(await owner.put(`/channels/${channel.id}/members/${boris.id}/nickname`, { nickname: 'Bo' }))
    await column.getByRole('button', { name: 'Bo offline' }).waitFor()
    expectOk(await owner.delete(`/channels/${channel.id}/members/${boris.id}`))
    await column.getByRole('button', { name: 'Bo offline' }).waitFor({ state: 'detached' })

    await adas.context().close()
    await column.getByRole('button', { name: `${ada.name} offline` }).waitFor()
  })

  test('keep a card with name and picture after they have left', async () => {
    const { server, people, at, channel, room } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    const text = `hello <@${boris.id}>`
    for (const author of [ada, boris])
      expectOk(await author.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text }))
    expectOk(await boris.delete(`${at}/membership`))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, ada),
      provokes: [MEMBER_GONE],
    })
    const messages = page.getByRole('region', { name: 'Messages' })
    for (const name of [boris.name, `@${boris.name}`]) {
      await messages.getByRole('button', { name, exact: true }).last().click()
      const card = page.getByRole('dialog', { name: boris.name })
      await card.getByText('No longer a member of this channel').waitFor()
      await page.keyboard.press('Escape')
      await card.waitFor({ state: 'detached' })
    }
  })

  test('are a single tab stop with arrow keys, and open a profile card', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
    })
    const column = page.getByRole('complementary', { name: 'Members' })
    const own = column.getByRole('button', { name: `${owner.name} online` })
    const other = column.getByRole('button', { name: people[0].name })
    await own.waitFor()
    await own.focus()
    await page.keyboard.press('ArrowDown')
    await focused(page, other)
    await page.keyboard.press('Enter')
    const card = page.getByRole('dialog', { name: people[0].name })
    await card.getByRole('listitem').filter({ hasText: 'Member' }).waitFor()
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    await focused(page, other)
  })

  test('can be renamed, muted and removed from their card by those with the permission only', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    const address = `${server.url}/c/${channel.id}/${room.id}`
    const adas = await open(address, {
      ...signedIn(server.url, ada),
      viewport: DESKTOP,
      excuses: [MEMBERSHIP_ENDED],
    })
    await adas.getByRole('complementary').getByRole('button', { name: boris.name }).click()
    const seen = adas.getByRole('dialog', { name: boris.name })
    await seen.getByText('Joined').waitFor()
    await expect.poll(() => seen.getByRole('button').count()).toBe(0)
    await adas.keyboard.press('Escape')

    const page = await open(address, { ...signedIn(server.url, owner), viewport: DESKTOP, excuses: [MEMBER_GONE] })
    await page.getByRole('complementary').getByRole('button', { name: ada.name }).click()
    const card = page.getByRole('dialog', { name: ada.name })
    await card.getByRole('button', { name: 'Change nickname' }).click()
    await card.getByRole('textbox', { name: 'Nickname' }).fill('Ada the First')
    await page.keyboard.press('Enter')
    const renamed = page.getByRole('dialog', { name: 'Ada the First' })
    await renamed.getByRole('button', { name: 'Mute in chat', exact: true }).click()
    await renamed.getByRole('combobox', { name: 'Duration' }).selectOption('10 minutes')
    await renamed.getByRole('textbox', { name: 'Reason (optional)' }).fill('Too loud')
    await renamed.getByRole('button', { name: 'Mute', exact: true }).click()
    await renamed.getByText('in chat', { exact: true }).waitFor()
    const write = () => ada.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'hello' })
    expect((await write()).status).toBe(403)
    await renamed.getByRole('button', { name: 'Unmute in chat' }).click()
    await renamed.getByRole('button', { name: 'Mute in chat', exact: true }).waitFor()
    expect((await write()).status).toBe(201)

    await renamed.getByRole('button', { name: 'Remove from channel' }).click()
    await renamed.getByRole('button', { name: 'Remove', exact: true }).click()
    await renamed.waitFor({ state: 'detached' })
    await adas.getByRole('heading', { name: 'You were removed from Ateliers' }).waitFor()
  })

  test('keep the form that was chosen before an unmute was answered', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await owner.put(`/channels/${channel.id}/members/${ada.id}/chat-mute`, {}))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
      excuses: [MEMBER_GONE],
    })
    await page.getByRole('complementary').getByRole('button', { name: ada.name }).click()
    const card = page.getByRole('dialog', { name: ada.name })
    const answer = await holdUnmute(page)
    await card.getByRole('button', { name: 'Unmute in chat' }).click()
    await card.getByRole('button', { name: 'Remove from channel' }).click()
    await card.getByRole('textbox', { name: 'Reason (optional)' }).fill('Too loud')
    await answer()
    await card.getByRole('button', { name: 'Remove', exact: true }).click()
    await card.waitFor({ state: 'detached' })
  })

  test('are in a panel on a medium window and in a drawer on a phone', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: { width: 900, height: 700 },
    })
    const toggle = page.getByRole('button', { name: 'Members' })
    await toggle.waitFor()
    const panel = page.getByRole('complementary', { name: 'Members' })
    await expect.poll(() => panel.count()).toBe(0)
    await toggle.click()
    await panel.getByRole('button', { name: owner.name }).waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await focused(page, toggle)

    await page.setViewportSize(PHONE)
    await toggle.click()
    const drawer = page.getByRole('dialog', { name: 'Members' })
    await drawer.getByRole('button', { name: owner.name }).waitFor()
    await page.locator('main[inert]').waitFor({ state: 'attached' })
    await page.mouse.click(10, 400)
    await drawer.waitFor({ state: 'detached' })
  })

  test('of a large channel load while scrolling, and only visible ones are rendered', async () => {
    const { server, owner, channel, room } = await channelFixture()
    await manyMembers(server, channel.id, 950)
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
    })
    const column = page.getByRole('complementary', { name: 'Members' })
    await column.getByRole('heading', { name: 'Offline — 950' }).waitFor()
    await column.getByRole('button', { name: owner.name }).focus()

    const further = new Set<string>()
    page.on('response', (response) => {
      if (/members\/by-name\?.*afterId=/.test(response.url())) further.add(response.url())
    })
    while (further.size < 3) {
      await page.keyboard.press('End')
      await page.waitForTimeout(50)
    }
    await page.keyboard.press('End')
    await expect.poll(() => column.getByRole('button').count()).toBeLessThan(80)
    const names = await column.getByRole('button').allInnerTexts()
    expect(names.length).toBeGreaterThan(5)
    expect(names).toEqual(names.toSorted())
    await page.keyboard.press('Home')
    await focused(page, column.getByRole('button', { name: owner.name }))
  })

  test('are translated into Russian', async () => {
    const { server, owner, people, bots, channel, room } = await channelFixture({ people: 1, bots: 1 })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      locale: 'ru-RU',
      viewport: DESKTOP,
    })
    const column = page.getByRole('complementary', { name: 'Участники' })
    await column.getByRole('heading', { name: 'Владелец — 1' }).waitFor()
    await column.getByRole('heading', { name: 'Не в сети — 2' }).waitFor()
    await column.getByRole('button', { name: `${bots[0].name} Бот не в сети` }).waitFor()
    await column.getByRole('button', { name: people[0].name }).click()
    const card = page.getByRole('dialog', { name: people[0].name })
    await card.getByText('В канале с').waitFor()
    await card.getByRole('button', { name: 'Запретить писать' }).click()
    await card.getByRole('combobox', { name: 'На какой срок' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+/')
    await page
      .getByRole('dialog', { name: 'Сочетания клавиш' })
      .getByText('Перейти к комнате, каналу или человеку')
      .waitFor()
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('ru')
  })
})
