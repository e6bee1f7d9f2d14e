import type { Message, Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { act, field, openRoom, row, say, sent } from './chat-visit.ts'
import { DESKTOP, focused } from '../portal-visit.ts'

describeInBrowser('messages in a room', ({ open }) => {
  test('highlight mentions, and a name or picture opens the profile card', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const place = { url: server.url, room }
    const page = await openRoom(open, place, owner, { viewport: DESKTOP })
    const writer = await openRoom(open, place, people[0])
    await say(writer, `Look here, <@${owner.id}>`)
    await row(page, `Look here, @${owner.name}`).and(page.locator('.mentioned')).waitFor()
    await sent(writer, 'Look here').waitFor()
    await expect.poll(() => row(writer, 'Look here').and(writer.locator('.mentioned')).count()).toBe(0)

    const card = page.getByRole('dialog', { name: people[0].name })
    await row(page, 'Look here').getByRole('button', { name: people[0].name, exact: true }).click()
    await card.getByText('Joined').waitFor()
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    await row(page, 'Look here').locator('.picture').click()
    await card.getByText('Joined').waitFor()
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    await row(page, 'Look here')
      .getByRole('button', { name: `@${owner.name}` })
      .click()
    await page.getByRole('dialog', { name: owner.name }).getByText('Joined').waitFor()
  })

  test('can be clicked although new ones scroll the list', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const write = async (text: string) =>
      expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await write('Look here\n'.repeat(10))
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: { width: 1280, height: 400 } })
    await row(page, 'Look here').hover()
    const name = await row(page, 'Look here').getByRole('button', { name: people[0].name, exact: true }).boundingBox()
    const list = page.getByRole('region', { name: 'Messages' })
    await page.mouse.move(name!.x + 8, name!.y + name!.height / 2)
    await page.mouse.down()
    await list.evaluate(async (scroller) => {
      const scrolled = new Promise((resolve) => scroller.addEventListener('scroll', resolve, { once: true }))
      scroller.scrollTop += scroller.scrollTop > 0 ? -1 : 1
      await scrolled
      await new Promise((resolve) => requestAnimationFrame(resolve))
    })
    await page.mouse.up()
    await page.getByRole('dialog', { name: people[0].name }).getByText('Joined').waitFor()
  })

  test('show code verbatim, with a copy button', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await say(page, 'Like this: ```ts\nconst a = <b>1</b>\n  return a\n```')
    const block = row(page, 'Like this').getByRole('figure', { name: 'Code, ts' })
    await block.hover()
    await block.getByRole('button', { name: /^Copy/ }).click()
    await block.getByText('Copied').first().waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('const a = <b>1</b>\n  return a')
  })

  test('are a single tab stop', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    for (const text of ['```\nfirst\n```', '[a link](https://example.org)', '```\nlast\n```']) {
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    await row(page, 'first').locator('pre').waitFor()
    await row(page, 'last').locator('pre').waitFor()
    await row(page, 'a link').getByRole('link').waitFor()
    const stops = (text: string) =>
      row(page, text).evaluate((article) =>
        [article, ...article.querySelectorAll<HTMLElement>('a, button, pre')].map(({ tabIndex }) => tabIndex),
      )
    expect(new Set([...(await stops('first')), ...(await stops('a link'))])).toEqual(new Set([-1]))
    expect(new Set(await stops('last'))).toContain(0)
  })

  test('have single-letter shortcuts, and Shift deletes without confirmation', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const place = { url: server.url, room }
    const page = await openRoom(open, place, owner)
    const reader = await openRoom(open, place, people[0])
    await say(page, 'one')
    await sent(page, 'one').waitFor()
    await say(page, 'two')
    await sent(page, 'two').focus()
    await page.keyboard.press('ArrowUp')
    await focused(page, row(page, 'one'))

    await page.keyboard.press('p')
    await row(page, 'one').getByTitle('Pinned').waitFor()
    await row(reader, 'one').getByTitle('Pinned').waitFor()
    await page.keyboard.press('r')
    await page.getByText(`Replying to ${owner.name}`).waitFor()
    await focused(page, field(page))
    await page.keyboard.press('Escape')

    await row(page, 'two').focus()
    await page.keyboard.press('Delete')
    const question = page.getByRole('dialog', { name: 'Delete this message?' })
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await row(page, 'one').hover()
    const remove = row(page, 'one').getByRole('toolbar').getByRole('button', { name: 'Delete' })
    await remove.click({ modifiers: ['Shift'] })
    await row(reader, 'one').waitFor({ state: 'detached' })
    await row(page, 'one').waitFor({ state: 'detached' })
    await expect.poll(() => question.count()).toBe(0)
    await row(reader, 'two').waitFor()
  })

  test('move through the emoji with the arrow keys, and back to the search', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    await page.evaluate(() => localStorage.setItem('portico.emoji', JSON.stringify(['👍', '❤️'])))
    await page.getByRole('button', { name: 'Pick an emoji' }).click()
    const search = page.getByRole('searchbox', { name: 'Search emoji' })
    await focused(page, search)
    await page.keyboard.press('ArrowDown')
    const used = page.getByRole('rowgroup', { name: 'Recently used' }).getByRole('gridcell')
    await focused(page, used.first())
    await page.keyboard.press('End')
    await focused(page, page.getByRole('rowgroup', { name: 'Smileys' }).getByRole('gridcell').last())
    await page.keyboard.press('Home')
    await focused(page, used.first())
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await focused(page, page.getByRole('rowgroup', { name: 'Smileys' }).getByRole('gridcell').nth(1))
    await page.keyboard.press('ArrowUp')
    await focused(page, used.nth(1))
    await page.keyboard.press('Enter')
    await search.waitFor({ state: 'detached' })
    await expect.poll(() => field(page).inputValue()).toBe('❤️')
  })

  test('have a link that opens them for someone else', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const place = { url: server.url, room }
    const page = await openRoom(open, place, owner, { permissions: ['clipboard-read', 'clipboard-write'] })
    await say(page, 'See this')
    await sent(page, 'See this').waitFor()
    await act(page, 'See this', 'Copy link')
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(room.id)
    const link = await page.evaluate(() => navigator.clipboard.readText())
    const other = await openRoom(open, place, people[0])
    await other.goto(link)
    await row(other, 'See this').waitFor()
    await say(other, `As I said: ${link}`)
    await row(page, 'As I said').getByRole('link').waitFor()
  })

  test('are announced once, without Markdown and with names', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const page = await openRoom(open, { url: server.url, room }, owner)
    const log = page.getByRole('log')
    await log.waitFor({ state: 'attached' })
    await say(page, 'my own words are not spoken')
    await sent(page, 'my own words').waitFor()
    const text = `Is **it** [green](https://example.org), <@${owner.id}>?`
    expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await log.getByText(`Is it green, @${owner.name}?`).waitFor()
    await expect.poll(() => log.innerText()).toContain(people[0].name)
  })

  test('have no Markdown in a quoted line', async () => {
    const { server, owner, room } = await channelFixture()
    const { channelId } = room
    const at = `/rooms/${room.id}/messages`
    const { id } = expectOk(await owner.post<Message>(at, { channelId, text: 'The **build** is `green`' }))
    expectOk(await owner.post(at, { channelId, text: 'As grass', replyToId: id }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    await row(page, 'As grass').getByRole('button', { name: 'The build is green' }).waitFor()
  })

  test('show unread messages in title and icon, and shortcuts mute a room and mark a channel as read', async () => {
    const { server, owner, people, at, room } = await channelFixture({ people: 1 })
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const send = async (text: string) =>
      expectOk(await people[0].post(`/rooms/${plans.id}/messages`, { channelId: room.channelId, text }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    const icon = page.locator('link[rel="icon"][type="image/svg+xml"]')
    await expect.poll(() => icon.getAttribute('href')).toBe('/icons/portico.svg')
    await send(`hello <@${owner.id}>`)
    await page.waitForFunction(() => document.title.startsWith('(1) '))
    await page.locator('link[rel="icon"][href="/icons/portico-unread.svg"]').waitFor({ state: 'attached' })
    await page.keyboard.press('Shift+Escape')
    await page.waitForFunction(() => !/^[(•]/.test(document.title))
    await expect.poll(() => icon.getAttribute('href')).toBe('/icons/portico.svg')

    const rooms = page.getByRole('navigation', { name: 'Rooms' })
    await page.keyboard.press('Control+Shift+M')
    await rooms.getByRole('link', { name: 'workshop text room, muted' }).waitFor()
    await page.keyboard.press('Control+Shift+M')
    await rooms.getByRole('link', { name: 'workshop text room', exact: true }).waitFor()
  })

  test('focus the search field, from its button and its shortcut', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    const search = page.getByRole('searchbox', { name: 'Search messages' })
    await page.getByRole('button', { name: 'Pinned messages' }).click()
    await page.getByText('No pinned messages yet').waitFor()
    await page.getByRole('button', { name: 'Search' }).click()
    await focused(page, search)
    await field(page).focus()
    await page.keyboard.press('Control+Shift+F')
    await focused(page, search)
    await page.keyboard.type('needle')
    await page.getByText('No results').waitFor()
  })
})
