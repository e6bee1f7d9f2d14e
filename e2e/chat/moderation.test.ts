import type { Ban, Invitation } from '@portico/contract'
import { expect, test } from 'vitest'
import { Bot } from '../../server/test/bot.ts'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { openSettings } from '../settings/channel-settings-visit.ts'
import { signedIn } from './chat-visit.ts'
import { MEMBERSHIP_ENDED, newMessage } from '../portal-visit.ts'

/** What is being read at the moment of a removal is refused. */
const REFUSED = { excuses: [/status of 403/, MEMBERSHIP_ENDED] }
const DISCONNECTED = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|ERR_FAILED|WebSocket|ERR_NETWORK/

describeInBrowser('moderation', ({ open }) => {
  test('shows someone who is removed that they were, by whom and why, and again after a reload', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const address = `${server.url}/c/${channel.id}/${room.id}`
    const page = await open(address, { ...signedIn(server.url, ada), ...REFUSED })
    await newMessage(page).waitFor()

    expectOk(await owner.delete(`${at}/members/${ada.id}`, { reason: 'Advertising in every room' }))

    const title = page.getByRole('heading', { level: 2, name: 'You were removed from Ateliers', exact: true })
    await title.waitFor()
    await page.getByText(`${owner.name} removed you on`).waitFor()
    await page.getByText('Reason: Advertising in every room').waitFor()
    await page.getByText('You need an invitation to come back.').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.reload()
    await title.waitFor()

    await page.getByRole('link', { name: 'Open channels' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Open channels' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Ateliers' }).first().waitFor()
    const { code } = expectOk(await owner.post<Invitation>(`${at}/invitations`, {}))
    expectOk(await ada.post(`/invitations/${code}/accept`))
    await page.goto(address)
    await newMessage(page).waitFor()
  })

  test('shows someone who was removed while they were offline that they were', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const excuses = [...REFUSED.excuses, DISCONNECTED]
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, { ...signedIn(server.url, ada), excuses })
    await newMessage(page).waitFor()
    await page.context().setOffline(true)
    await page.getByText('No connection. Messages will be sent').waitFor()
    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    await page.context().setOffline(false)
    await page.getByRole('heading', { level: 2, name: 'You were removed from Ateliers', exact: true }).waitFor()
  })

  test('bans a member from the settings, lists the ban with reason and author, and lifts it', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const theirs = await open(`${server.url}/c/${channel.id}/${room.id}`, { ...signedIn(server.url, ada), ...REFUSED })
    await newMessage(theirs).waitFor()
    const page = await openSettings(open, { server, channel }, owner, 'bans', { timezoneId: 'Asia/Tokyo' })
    await page.getByRole('heading', { name: 'Nobody is banned' }).waitFor()
    expect(await axeViolations(page)).toEqual([])

    await page.getByRole('main').getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('button', { name: `Manage ${ada.name}`, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: ada.name })
    await dialog.getByRole('button', { name: 'Ban from channel' }).click()
    await dialog.getByRole('heading', { name: `Ban ${ada.name}?` }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByLabel('Duration').selectOption({ label: '1 week' })
    await dialog.getByText(/^Until \d/).waitFor()
    await dialog.getByLabel('Duration').selectOption({ label: 'Until a date' })
    const [past, until] = [-1, 10].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10))
    await dialog.getByLabel('Until', { exact: true }).fill(`${past}T12:00`)
    await dialog.getByRole('button', { name: 'Ban', exact: true }).click()
    await dialog.getByText('Choose a date and time within the next year.').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByLabel('Until', { exact: true }).fill(`${until}T12:00`)
    const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
    // Noon in Tokyo, where the moderator is.
    await dialog.getByText(`Until ${moment.format(new Date(`${until}T12:00:00Z`))}`, { exact: true }).waitFor()
    await dialog.getByLabel('Reason (optional)').fill('Advertising')
    await dialog.getByRole('button', { name: 'Ban', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })

    await theirs.getByRole('heading', { level: 2, name: 'You’re banned from Ateliers', exact: true }).waitFor()
    await expect.poll(() => theirs.title()).toMatch(/^You’re banned from Ateliers · /)
    await theirs.getByText('You can come back after').waitFor()
    await theirs.getByText('Reason: Advertising').waitFor()
    const { code } = expectOk(await owner.post<Invitation>(`${at}/invitations`, {}))
    await theirs.goto(`${server.url}/invite/${code}`)
    await theirs.getByRole('button', { name: 'Join Ateliers' }).click()
    await theirs.getByText('You’re banned from this channel.').waitFor()

    const { bans } = expectOk(await owner.get<{ bans: Ban[] }>(`${at}/bans`))
    expect(bans.map(({ bannedUntil }) => bannedUntil?.slice(0, 16))).toEqual([`${until}T03:00`])

    await page.getByRole('link', { name: 'Bans', exact: true }).click()
    const row = page.getByRole('list', { name: 'Bans' }).getByRole('listitem')
    await row.getByText('Advertising').waitFor()
    await row.getByText(`by ${owner.name}`).waitFor()
    await row.getByText(/^Until /).waitFor()
    await row.getByRole('button', { name: `Lift ban: ${ada.name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Lift ban', exact: true }).click()
    await page.getByRole('heading', { name: 'Nobody is banned' }).waitFor()

    await theirs.getByRole('button', { name: 'Join Ateliers' }).click()
    await newMessage(theirs).waitFor()
    await page.getByRole('link', { name: 'Audit log', exact: true }).click()
    await page.getByText(`${owner.name} lifted the ban on ${ada.name}`).waitFor()
    await page.getByText(`${owner.name} banned ${ada.name}`).waitFor()
  })

  test('names the bots that a ban removes, and keeps the ones that the moderator selects', async () => {
    const { server, owner, people, at, channel, room, install } = await channelFixture({ people: 1 })
    const [ada] = people
    const [spy, helper] = [await Bot.of(server, ada, 'Spy'), await Bot.of(server, ada, 'Helper')]
    for (const bot of [spy, helper]) await install(bot)
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    const members = page.getByRole('complementary', { name: 'Members' })
    await members.getByRole('button', { name: spy.name }).waitFor()
    await members.getByRole('button', { name: ada.name }).click()
    const card = page.getByRole('dialog', { name: ada.name })
    await card.getByRole('button', { name: 'Ban from channel' }).click()
    const bots = card.getByRole('group', { name: 'Their bots are removed as well, except the ones you keep.' })
    expect(await bots.getByRole('checkbox').count()).toBe(2)
    expect(await bots.getByRole('checkbox', { checked: true }).count()).toBe(0)
    expect(await axeViolations(page)).toEqual([])
    await bots.getByRole('checkbox', { name: `Keep ${helper.name}` }).check()
    await card.getByRole('button', { name: 'Ban', exact: true }).click()
    await members.getByRole('button', { name: spy.name }).waitFor({ state: 'detached' })
    await members.getByRole('button', { name: helper.name }).waitFor()
    expect((await spy.get(at)).status).toBe(403)
    expectOk(await helper.get(at))
    await page.goto(`${server.url}/c/${channel.id}/settings/audit-log`)
    await page.getByText('Its owner was banned').waitFor()
    await page.getByText(`Bots kept: ${helper.name}`).waitFor()
  })

  test('says until when someone is muted, by whom and why, in their language', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const visit = { ...signedIn(server.url, ada), timezoneId: 'UTC' }
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, visit)
    await newMessage(page).waitFor()
    const { mutedUntil } = expectOk(
      await owner.put<{ mutedUntil: string }>(`${at}/members/${ada.id}/chat-mute`, {
        durationSec: 86_400 * 2,
        reason: 'Shouting',
      }),
    )
    const time = mutedUntil.slice(11, 16)
    const text = new RegExp(`until \\d+ \\w+ at ${time}\\. Muted by ${owner.name}\\. Reason: Shouting$`)
    await page.getByText(text).waitFor()

    expectOk(await ada.patch('/account', { locale: 'ru' }))
    await page.reload()
    await page
      .getByText(new RegExp(`^Вам запретили писать до .*${time}\\. Модератор: ${owner.name}\\. Причина: Shouting$`))
      .waitFor()
  })

  test('hides moderators’ names if the channel says so', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const page = await openSettings(open, { server, channel }, owner, 'overview')
    await page.getByRole('switch', { name: 'Show moderators’ names' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' })
    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    const theirs = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, ada))
    await theirs.getByText(/^You were removed on /).waitFor()
  })
})
