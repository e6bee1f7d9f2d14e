import type { Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP } from '../portal-visit.ts'

describeInBrowser('the name of a bot', ({ open }) => {
  test('carries its mark wherever it is shown', async () => {
    const { server, owner, bots, at, room, channel, newRoom, allow } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const { id: channelId } = channel
    await allow(bot, 'read_text_room', 'write_text_room', 'join_voice_room', 'pin_text_msg')
    const voice: Room = await newRoom('voice')
    expectOk(await bot.post(`/rooms/${voice.id}/voice`, { channelId }))
    const send = async (text: string, replyToId?: string) =>
      expectOk(await bot.post<{ id: string }>(`/rooms/${room.id}/messages`, { channelId, text, replyToId }))
    const { id } = await send('The build is green')
    await send('Still green', id)
    expectOk(await bot.post(`/rooms/${room.id}/messages/${id}/pin`, { channelId }))
    const page = await open(`${server.url}/c/${channelId}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
    })
    const mark = { name: new RegExp(`${bot.name}\\s*App`) }

    const row = page.getByRole('article').filter({ hasText: 'Still green' })
    await row.getByRole('button', { name: new RegExp(`${bot.name}\\s*App\\s*The build is green`) }).waitFor()
    await page.getByRole('complementary', { name: 'Members' }).getByRole('button', mark).waitFor()
    await page
      .getByRole('list', { name: `Currently in ${voice.name}` })
      .getByRole('button', mark)
      .waitFor()

    await page.getByRole('button', { name: 'Pinned messages' }).click()
    const pins = page.getByRole('complementary', { name: 'Pinned messages' })
    await pins.getByText('The build is green').waitFor()
    expect(await pins.getByRole('listitem').innerText()).toMatch(mark.name)

    await page.getByRole('button', { name: 'Search' }).click()
    const search = page.getByRole('complementary', { name: 'Search' })
    await search.getByRole('searchbox', { name: 'Search messages' }).fill('green')
    await search.getByRole('listitem').nth(1).waitFor()
    for (const hit of await search.getByRole('listitem').allInnerTexts()) expect(hit).toMatch(mark.name)
    await search.getByRole('combobox', { name: 'From' }).fill(bot.name)
    await search.getByRole('option', mark).click()
    await search
      .getByRole('button', { name: new RegExp(bot.name) })
      .getByText('App', { exact: true })
      .waitFor()

    await page.goto(`${server.url}/c/${channelId}/${voice.id}`)
    await page.getByRole('main').getByRole('button', mark).waitFor()

    await page.goto(`${server.url}/c/${channelId}/settings/audit-log`)
    await page.getByText(`${bot.name} (App) pinned a message by ${bot.name} (App)`).waitFor()
    expect(expectOk(await owner.get(`${at}/rooms`))).toMatchObject({
      rooms: expect.arrayContaining([expect.objectContaining({ users: [expect.objectContaining({ isBot: true })] })]),
    })
    expect(JSON.stringify((await bot.get(`${at}/rooms`)).body)).not.toContain('isBot')
  })
})
