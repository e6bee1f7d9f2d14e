import type { Message } from '@portico/contract'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { act, field, noteTinted, openRoom, openSheet, row, say, sayLongAgo, sent, wasTinted } from './chat-visit.ts'
import { DESKTOP, focused, newName, PHONE, tabTo } from '../portal-visit.ts'

describeInBrowser('live updates in a room', ({ open }) => {
  test('sending and typing, with three people and a bot', async () => {
    const { server, owner, people, bots, room } = await channelFixture({ people: 2, bots: 1 })
    const place = { url: server.url, room }
    const [first, second, third] = await Promise.all([owner, ...people].map((person) => openRoom(open, place, person)))
    if (!first || !second || !third) throw new Error('three people came')

    await say(first, 'Good **morning**')
    for (const page of [first, second, third]) await row(page, 'Good morning').waitFor()
    await say(second, 'Привет!')
    expectOk(
      await bots[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Build `7` is green' }),
    )

    for (const page of [first, second, third]) {
      await row(page, 'Привет!').waitFor()
      await row(page, 'Build 7 is green').getByText('App', { exact: true }).waitFor()
      await expect.poll(() => page.getByRole('article').allInnerTexts()).toHaveLength(3)
    }
    await expect.poll(() => row(third, 'Good morning').locator('strong').innerText()).toBe('morning')
    await expect.poll(() => field(first).inputValue()).toBe('')

    const writers = [second, third]
    // A typing event expires after seconds: on a slow machine the first person keeps typing while the second starts.
    while ((await first.getByText(/ and .* are typing…/).count()) === 0) {
      await Promise.all(writers.map((page) => field(page).press('x')))
    }
    for (const page of writers) await field(page).press('Enter')
    await first.getByText('typing…').waitFor({ state: 'detached' })
  })

  test('editing, deleting and replying, with a quoted line that links to the original', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const place = { url: server.url, room }
    const writer = await openRoom(open, place, people[0])
    const reader = await openRoom(open, place, owner)
    await say(writer, 'first')
    await say(writer, 'secnd')
    await row(reader, 'secnd').waitFor()
    await sent(writer, 'secnd').waitFor()

    await field(writer).press('ArrowUp')
    const box = writer.getByRole('textbox', { name: 'Edit message' })
    await box.fill('second')
    await box.press('Enter')
    await row(reader, 'second').getByText('(edited)').waitFor()
    await row(writer, 'second').getByText('(edited)').waitFor()

    await act(writer, 'second', 'Delete')
    await writer.getByRole('dialog', { name: 'Delete this message?' }).getByRole('button', { name: 'Delete' }).click()
    await row(reader, 'second').waitFor({ state: 'detached' })
    await row(writer, 'second').waitFor({ state: 'detached' })
    await row(reader, 'first').waitFor()

    const [one, other] = [reader, writer]
    await say(one, 'Is the staging build green?')
    await row(other, 'Is the staging build green?').waitFor()

    await act(other, 'Is the staging build green?', 'Reply')
    await other.getByText(`Replying to ${owner.name}`).waitFor()
    await say(other, 'As grass')
    await noteTinted(one)
    const quoted = row(one, 'As grass').getByRole('button', { name: `In reply to ${owner.name}` })
    await quoted.click()
    await wasTinted(one, 'Is the staging build green?')

    await act(one, /^(?!.*As grass).*Is the staging build green\?/s, 'Delete')
    await one.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row(other, 'The original message was deleted').waitFor()
  })

  test('editing is disabled for an old message, which says why, also after E', async () => {
    const here = await channelFixture()
    const { server, owner, room } = here
    await sayLongAgo(here, 'An hour ago')
    const page = await openRoom(open, { url: server.url, room }, owner)
    await row(page, 'An hour ago').hover()
    const edit = row(page, 'An hour ago').getByRole('toolbar').getByRole('button', { name: 'Edit', disabled: true })
    const why = 'Messages can be edited for 30 minutes.'
    await edit.hover()
    await page.locator('.tooltip', { hasText: why }).waitFor()
    expect(await edit.getAttribute('aria-describedby').then((id) => page.locator(`[id="${id}"]`).textContent())).toBe(
      why,
    )

    await row(page, 'An hour ago').focus()
    await tabTo(page, edit)
    await page.keyboard.press('Enter')
    const reason = page.getByRole('status').getByText(why)
    await reason.waitFor()
    const box = page.getByRole('textbox', { name: 'Edit message' })
    await expect.poll(() => box.count()).toBe(0)

    await say(page, 'Just now')
    await sent(page, 'Just now').focus()
    await page.keyboard.press('e')
    await focused(page, box)
    await expect.poll(() => box.inputValue()).toBe('Just now')
    await box.fill('A moment ago')
    await page.keyboard.press('Enter')
    await row(page, 'A moment ago').getByText('(edited)').waitFor()
    await box.waitFor({ state: 'detached' })

    await reason.waitFor({ state: 'detached' })
    await row(page, 'An hour ago').focus()
    await page.keyboard.press('e')
    await reason.waitFor()
    await expect.poll(() => box.count()).toBe(0)
  })

  test('a long press on a phone offers all actions, and says why a message can’t be edited', async () => {
    const here = await channelFixture()
    const { server, owner, room } = here
    await sayLongAgo(here, 'An hour ago')
    const visit = { viewport: PHONE, hasTouch: true, isMobile: true }
    const page = await openRoom(open, { url: server.url, room }, owner, visit)
    const sheet = await openSheet(page, 'An hour ago')
    const why = 'Messages can be edited for 30 minutes.'
    await sheet.getByRole('button', { name: `Edit ${why}`, disabled: true }).waitFor()
    await sheet.getByRole('button', { name: 'React with 👍' }).tap()
    await sheet.waitFor({ state: 'detached' })
    await row(page, 'An hour ago').getByRole('button', { name: '👍, 1 reaction', pressed: true }).waitFor()

    await (await openSheet(page, 'An hour ago')).getByRole('button', { name: 'Reply' }).tap()
    await page.getByText(`Replying to ${owner.name}`).waitFor()
  })

  test('a new name, nickname and picture', async () => {
    const { server, owner, people, at, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const place = { url: server.url, room }
    // The picture is removed while other parts of the pages may still request it.
    const excuses = [/status of 404.*\/media\/avatars\//]
    const reader = await openRoom(open, place, owner, { viewport: DESKTOP, excuses })
    const writer = await openRoom(open, place, ada, { excuses })
    await say(writer, `Hello, I am <@${ada.id}>`)
    await row(reader, `Hello, I am @${ada.name}`).waitFor()

    const renamed = newName()
    expectOk(await ada.patch('/account', { name: renamed }))
    await row(reader, `Hello, I am @${renamed}`).getByRole('button', { name: renamed, exact: true }).waitFor()
    await reader.getByRole('complementary', { name: 'Members' }).getByRole('button', { name: renamed }).waitFor()
    await row(writer, `Hello, I am @${renamed}`).waitFor()

    expectOk(await owner.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Countess' }))
    await row(reader, 'Hello, I am @Countess').getByRole('button', { name: 'Countess', exact: true }).waitFor()

    const red = { create: { width: 64, height: 64, channels: 3 as const, background: 'red' } }
    const picture = Uint8Array.from(await sharp(red).png().toBuffer())
    expectOk(await ada.request('PUT', '/account/picture', picture, { 'content-type': 'image/png' }))
    await row(reader, 'Hello').locator('img').waitFor()
    expectOk(await ada.delete('/account/picture'))
    await row(reader, 'Hello').locator('img').waitFor({ state: 'detached' })
  })

  test('reacting, who reacted, and pinning', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const place = { url: server.url, room }
    const one = await openRoom(open, place, owner)
    const other = await openRoom(open, place, people[0])
    await say(one, 'Cake at four')

    await act(other, 'Cake at four', 'Add a reaction')
    await other.getByRole('searchbox', { name: 'Search emoji' }).fill('party popper')
    await other.keyboard.press('Enter')
    const mine = row(other, 'Cake at four').getByRole('button', { name: '🎉, 1 reaction', pressed: true })
    await mine.waitFor()
    const chip = row(one, 'Cake at four').getByRole('button', { name: '🎉, 1 reaction', pressed: false })
    await chip.hover()
    // The members column shows the name, too.
    await one
      .locator('.tooltip')
      .and(one.getByText(people[0].name, { exact: true }))
      .waitFor()
    await chip.click()

    await row(other, 'Cake at four').getByRole('button', { name: '🎉, 2 reactions', pressed: true }).click()
    await row(one, 'Cake at four').getByRole('button', { name: '🎉, 1 reaction', pressed: true }).click()
    await row(other, 'Cake at four').getByRole('list', { name: 'Reactions' }).waitFor({ state: 'detached' })

    const [keeper, reader] = [one, other]
    await say(keeper, 'The plan of the week')
    await reader.getByRole('button', { name: 'Pinned messages' }).click()
    const panel = reader.getByRole('complementary', { name: 'Pinned messages' })
    await panel.getByText('No pinned messages yet').waitFor()

    await act(keeper, 'The plan of the week', 'Pin')
    await panel.getByText('The plan of the week').waitFor()
    await expect.poll(() => panel.getByRole('button', { name: 'Unpin' }).count()).toBe(0)
    await panel.getByRole('link', { name: 'Show in the conversation' }).click()
    await reader.waitForURL(new RegExp(`/c/${room.channelId}/${room.id}/.+`))

    await act(keeper, 'The plan of the week', 'Unpin')
    await panel.getByText('No pinned messages yet').waitFor()
  })

  test('a bot, marked among those who reacted, and its edits and deletions', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const { id: roomId, channelId } = room
    const { id } = expectOk(await owner.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId, text: 'Cake' }))
    expectOk(await bots[0].post(`/rooms/${roomId}/messages/${id}/reactions`, { channelId, emoji: '🎉' }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    await row(page, 'Cake').getByRole('button', { name: '🎉, 1 reaction' }).hover()
    await page
      .locator('.tooltip')
      .and(page.getByText(`${bots[0].name} (App)`, { exact: true }))
      .waitFor()
    expectOk(await owner.delete(`/rooms/${roomId}/messages/${id}`, { channelId }))

    const at = `/rooms/${roomId}/messages`
    const own = expectOk(await bots[0].post<Message>(at, { channelId, text: 'Deploying…' }))
    await row(page, 'Deploying…').waitFor()
    expectOk(await bots[0].patch(`${at}/${own.id}`, { channelId, text: 'Deployed' }))
    await row(page, 'Deployed').getByText('(edited)').waitFor()
    expectOk(await bots[0].delete(`${at}/${own.id}`, { channelId }))
    await page.getByText('No messages yet').waitFor()
  })
})
