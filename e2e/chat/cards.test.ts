import type { Card, Message, UploadedFile } from '@portico/contract'
import { expect, test } from 'vitest'
import type { Bot } from '../../server/test/bot.ts'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { DESKTOP, PHONE } from '../portal-visit.ts'
import { openRoom, row } from './chat-visit.ts'
import { loaded, pictureFile } from './files-visit.ts'

const BUILD: Card = {
  title: 'Build 1.4.0',
  url: 'https://ci.example/builds/140',
  text: 'All **214** tests passed, see [the log](https://ci.example/log) or [this](javascript:alert(1)).',
  color: '#2da44e',
  fields: [
    { name: 'Branch', value: '`main`' },
    { name: 'Took', value: '3 min 12 s' },
    { name: 'What changed', value: 'The quick brown fox jumps over the lazy dog, and nobody knows why it does that' },
  ],
  footer: 'ci.example',
}

async function cardsFixture() {
  const made = await channelFixture({ bots: 1, people: 1 })
  const { server, bots, room, people } = made
  const [bot] = bots
  const at = `/rooms/${room.id}/messages`
  return {
    ...made,
    place: { url: server.url, room },
    bot,
    reader: people[0],
    send: async (text: string, cards: Card[]) =>
      expectOk(await bot.post<Message>(at, { channelId: room.channelId, text, cards })),
    edit: async (id: string, change: object) => {
      expectOk(await bot.patch(`${at}/${id}`, { channelId: room.channelId, ...change }))
    },
  }
}

async function pictureOf(bot: Bot, roomId: string): Promise<UploadedFile> {
  const { name, buffer } = await pictureFile('plan.png')
  return expectOk(
    await bot.request<UploadedFile>('POST', `/rooms/${roomId}/files?name=${name}`, new Uint8Array(buffer)),
  )
}

describeInBrowser('cards', ({ open }) => {
  test('are shown as labeled groups whose links can be reached by keyboard, and follow edits', async () => {
    const { owner, reader, place, bot, room, send, edit } = await cardsFixture()
    const { url } = await pictureOf(bot, room.id)
    const { id } = await send('Build finished', [
      BUILD,
      { text: `Ask <@${owner.id}>`, picture: { url, alt: 'A plan' } },
    ])
    const page = await openRoom(open, place, reader)

    const message = row(page, 'Build finished')
    const card = message.getByRole('group', { name: 'Card: Build 1.4.0' })
    const title = card.getByRole('link', { name: 'Build 1.4.0', exact: true })
    expect(await title.getAttribute('href')).toBe('https://ci.example/builds/140')
    expect(await title.getAttribute('rel')).toContain('noreferrer')
    await card.locator('strong', { hasText: '214' }).waitFor()
    await card.locator('dt', { hasText: 'Branch' }).waitFor()
    await card.locator('dd code', { hasText: 'main' }).waitFor()
    // A script stays text.
    expect(await card.getByRole('link').allInnerTexts()).toEqual(['Build 1.4.0', 'the log'])
    const second = message.getByRole('group', { name: 'Card', exact: true })
    await second.getByText(`@${owner.name}`).waitFor()
    await loaded(second.getByRole('img', { name: 'A plan' }), 1)
    expect(await axeViolations(page)).toEqual([])

    await message.focus()
    await page.keyboard.press('Tab')
    while (!(await title.evaluate((link) => link === document.activeElement))) await page.keyboard.press('Tab')

    await edit(id, { text: 'Build failed', cards: [{ title: 'Build 1.4.1' }] })
    const edited = row(page, 'Build failed')
    await edited.getByRole('group', { name: 'Card: Build 1.4.1' }).waitFor()
    await edit(id, { text: 'Build forgotten', cards: [] })
    await row(page, 'Build forgotten').getByRole('group').waitFor({ state: 'detached' })
  })

  test('arrive live, fit on a phone, and are found by search', async () => {
    const { reader, place, send } = await cardsFixture()
    const page = await openRoom(open, place, reader, { viewport: PHONE })
    await send('Build finished', [BUILD])
    const card = row(page, 'Build finished').getByRole('group', { name: 'Card: Build 1.4.0' })
    await card.waitFor()
    const { x = 0, width = 0 } = (await card.boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(PHONE.width)
    expect(await axeViolations(page)).toEqual([])

    const desk = await openRoom(open, place, reader, { viewport: DESKTOP })
    await desk.getByRole('button', { name: 'Search' }).click()
    const panel = desk.getByRole('complementary', { name: 'Search' })
    await panel.getByRole('searchbox', { name: 'Search messages' }).fill('lazy dog')
    await panel
      .getByRole('listitem')
      .filter({ hasText: 'Build finished' })
      .locator('mark', { hasText: 'lazy' })
      .waitFor()
  })
})
