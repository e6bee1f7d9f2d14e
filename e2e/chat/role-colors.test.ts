import type { Message, Role, RoleColor } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { openSettings } from '../settings/channel-settings-visit.ts'
import { field, openRoom, row, signedIn } from './chat-visit.ts'
import { DESKTOP, focused } from '../portal-visit.ts'

/** How both themes show two of the colors. */
const SHOWN = {
  teal: { light: 'rgb(12, 108, 104)', dark: 'rgb(17, 194, 187)' },
  red: { light: 'rgb(186, 29, 39)', dark: 'rgb(255, 144, 136)' },
}

describeInBrowser('role colors', ({ open }) => {
  test('are chosen with the keyboard, listed in the matrix and explained in the audit log', async () => {
    const { server, owner, channel, at, newRole } = await channelFixture()
    await newRole('Watch', [])
    const page = await openSettings(open, { server, channel }, owner, 'roles', { viewport: DESKTOP })
    const list = page.getByRole('list', { name: 'Roles, highest first' })
    await list.getByRole('radio', { name: /^Watch/ }).check({ force: true })
    await page.getByRole('button', { name: 'Edit Watch' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Watch' })
    const choice = dialog.getByRole('group', { name: 'Color' })
    const none = choice.getByRole('radio', { name: 'No color' })
    await none.and(choice.getByRole('radio', { checked: true })).waitFor()
    await dialog.getByRole('textbox', { name: 'Role name' }).focus()
    await page.keyboard.press('Tab')
    await focused(page, none)
    await page.keyboard.press('ArrowDown')
    await focused(page, choice.getByRole('radio', { name: 'Red', checked: true }))
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })

    const head = page.getByRole('columnheader', { name: 'Watch' })
    for (const place of [list, head]) await colored(place, 'Watch', 'red').waitFor()
    await eachTheme(page, async (theme) => {
      for (const place of [list, head]) expect(await colorOf(colored(place, 'Watch', 'red'))).toBe(SHOWN.red[theme])
    })
    expect(await axeViolations(page)).toEqual([])

    await page.getByRole('button', { name: 'New role' }).click()
    const making = page.getByRole('dialog', { name: 'New role' })
    await making.getByRole('textbox', { name: 'Role name' }).fill('Choir')
    await making.getByRole('radio', { name: 'Teal' }).check({ force: true })
    await making.getByRole('button', { name: 'Create' }).click()
    await colored(list, 'Choir', 'teal').waitFor()
    const { roles } = expectOk(await owner.get<{ roles: Role[] }>(`${at}/roles`))
    expect(roles.flatMap(({ name, color }) => (color ? [[name, color]] : []))).toEqual([
      ['Watch', 'red'],
      ['Choir', 'teal'],
    ])

    const log = await openSettings(open, { server, channel }, owner, 'audit-log')
    await log.getByText('Color: none → Red').waitFor()
    await log.getByText('Color: Teal', { exact: true }).waitFor()
    const russian = await openSettings(open, { server, channel }, owner, 'audit-log', { locale: 'ru-RU' })
    await russian.getByText('Цвет: нет → Красный').waitFor()
    await russian.getByText('Цвет: Бирюзовый', { exact: true }).waitFor()
  })

  test('show on messages, quotes, mentions, members and profiles in both themes, and follow every change', async () => {
    const { server, owner, people, channel, room, at, give, newRole, role } = await channelFixture({ people: 2 })
    const [ada, ben] = people
    const [high, low] = [await newRole('High', []), await newRole('Low', [])]
    const paint = async ({ id }: Role, color: RoleColor | null): Promise<void> => {
      expectOk(await owner.patch(`${at}/roles/${id}`, { color }))
    }
    await paint(low, 'teal')
    await give(ada, 'CHANNEL_MEMBER', high, low)
    const send = async (who: Person, text: string, more: object = {}): Promise<Message> =>
      expectOk(await who.post<Message>(`/rooms/${room.id}/messages`, { channelId: channel.id, text, ...more }))
    const first = await send(ada, 'First words')
    await send(ben, 'An answer', { replyToId: first.id })
    await send(owner, `Good evening, <@&${low.id}>`)

    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    const members = page.getByRole('complementary', { name: 'Members' })
    const own = row(page, 'First words').filter({ hasNotText: 'An answer' })
    const author = (color: RoleColor) => colored(own, ada.name, color)
    const quoted = (color: RoleColor) => colored(row(page, 'An answer'), ada.name, color)
    const member = (color: RoleColor) => colored(members, ada.name, color)
    const everywhere = async (color: RoleColor): Promise<void> => {
      for (const place of [author, quoted, member]) await place(color).waitFor()
    }
    await everywhere('teal')
    const mention = colored(row(page, 'Good evening'), '@Low', 'teal')
    await mention.waitFor()
    await members.getByRole('button', { name: ada.name }).click()
    const card = page.getByRole('dialog', { name: ada.name })
    const title = colored(card, ada.name, 'teal')
    await title.waitFor()
    const chip = colored(card, 'Low', 'teal')
    await eachTheme(page, async (theme) => {
      for (const name of [author('teal'), quoted('teal'), member('teal'), mention, title, chip]) {
        expect(await colorOf(name)).toBe(SHOWN.teal[theme])
      }
    })
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })

    // The color of a role, the order of roles, the roles of a member, and the end of a membership.
    await paint(low, 'red')
    await everywhere('red')
    await paint(high, 'pink')
    await everywhere('pink')
    expectOk(await owner.put(`${at}/roles/order`, { roleIds: [low.id, high.id] }))
    await everywhere('red')
    await give(ada, 'CHANNEL_MEMBER', high)
    await everywhere('pink')
    expectOk(await ada.delete(`${at}/membership`))
    for (const place of [author, quoted, member]) await place('pink').waitFor({ state: 'detached' })
    await own.getByText(ada.name, { exact: true }).waitFor()
    expectOk(await ada.post(`${at}/join`))
    await paint(await role('CHANNEL_MEMBER'), 'blue')
    await everywhere('blue')
  })

  test('show in completions, pickers, voice rooms and the member list of the settings, also the owner’s', async () => {
    const { server, owner, people, channel, room, at, give, newRole, newRoom } = await channelFixture({ people: 1 })
    const [ada] = people
    const low = await newRole('Low', [])
    expectOk(await owner.patch(`${at}/roles/${low.id}`, { color: 'teal' }))
    await give(ada, 'CHANNEL_MEMBER', low)

    const roles = await openSettings(open, { server, channel }, owner, 'roles', { viewport: DESKTOP })
    const list = roles.getByRole('list', { name: 'Roles, highest first' })
    await list.getByRole('radio', { name: /^Owner/ }).check({ force: true })
    await roles.getByRole('button', { name: 'Edit Owner' }).click()
    const dialog = roles.getByRole('dialog', { name: 'Edit Owner' })
    await dialog.getByText('keeps its name and permissions').waitFor()
    expect(await dialog.getByRole('textbox').count()).toBe(0)
    await dialog.getByRole('radio', { name: 'Red' }).check({ force: true })
    expect(await axeViolations(roles)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await colored(list, 'Owner', 'red').waitFor()
    expect(await roles.getByRole('button', { name: 'Delete Owner' }).count()).toBe(0)

    const members = await openSettings(open, { server, channel }, owner, 'members')
    await colored(members.getByRole('main'), ada.name, 'teal').waitFor()
    await colored(members.getByRole('main'), owner.name, 'red').waitFor()
    const chip = colored(members.getByRole('main'), 'Low', 'teal')
    await eachTheme(members, async (theme) => expect(await colorOf(chip)).toBe(SHOWN.teal[theme]))
    expect(await axeViolations(members)).toEqual([])

    const log = await openSettings(open, { server, channel }, owner, 'audit-log')
    await log.getByRole('combobox', { name: 'Changed by' }).click()
    await colored(log.getByRole('listbox', { name: 'Changed by' }), owner.name, 'red').waitFor()

    const voice = await newRoom('voice')
    expectOk(await ada.post(`/rooms/${voice.id}/voice`, { channelId: channel.id }))
    const tiles = await open(`${server.url}/c/${channel.id}/${voice.id}`, signedIn(server.url, owner))
    const inside = tiles.getByRole('region', { name: 'People in the room' })
    await colored(inside, ada.name, 'teal').waitFor()
    expectOk(await owner.patch(`${at}/roles/${low.id}`, { color: 'red' }))
    await colored(inside, ada.name, 'red').waitFor()

    const page = await openRoom(open, { url: server.url, room }, owner)
    await field(page).pressSequentially(`@${ada.name.slice(0, 4)}`)
    await colored(page.getByRole('option', { name: ada.name }), ada.name, 'red').waitFor()
    await field(page).fill('')
    await field(page).pressSequentially('@lo')
    await colored(page.getByRole('option', { name: '@Low' }), '@Low', 'red').waitFor()
    expect(await axeViolations(page)).toEqual([])
  })
})

/** The element with this text, if it has this color. */
function colored(place: Locator, text: string, color: RoleColor): Locator {
  return place.locator(`[data-color="${color}"]`).filter({ hasText: text })
}

function colorOf(name: Locator): Promise<string> {
  return name.evaluate((element) => getComputedStyle(element).color)
}

async function eachTheme(page: Page, look: (theme: 'light' | 'dark') => Promise<void>): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await look(theme)
  }
}
