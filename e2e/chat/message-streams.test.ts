import type { Message } from '@portico/contract'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { follow, PHONE } from '../portal-visit.ts'
import { openRoom, row, sent } from './chat-visit.ts'

/** A room with a bot that writes there. */
async function writingFixture() {
  const made = await channelFixture({ bots: 1, people: 1 })
  const { server, owner, bots, room, people } = made
  const [bot] = bots
  const { channelId } = room
  const at = `/rooms/${room.id}/messages`
  const say = async (text: string) => expectOk(await owner.post<Message>(at, { channelId, text }))
  const [reader] = people
  return {
    ...made,
    reader,
    place: { url: server.url, room },
    say,
    /** Many messages that the reader has read: the room opens at its end. */
    fill: async () => {
      for (let at = 0; at < 40; at += 1) await say(`Line ${at}`)
      expectOk(await reader.put(`/rooms/${room.id}/read`, {}))
    },
    write: async (text: string) => {
      const { id } = expectOk(await bot.post<Message>(`${at}/streams`, { channelId, text }))
      let position = [...text].length
      return {
        id,
        append: async (piece: string) => {
          expectOk(await bot.post(`${at}/${id}/append`, { channelId, position, text: piece }))
          position += [...piece].length
        },
        finish: async (how: object = {}) => {
          expectOk(await bot.post(`${at}/${id}/finish`, { channelId, ...how }))
        },
      }
    },
  }
}

describeInBrowser('a message that a bot is writing', ({ open }) => {
  test('grows with a mark, is announced once at its end, and keeps the end of the list in view', async () => {
    const { reader, place, fill, write } = await writingFixture()
    await fill()
    const page = await openRoom(open, place, reader)
    await sent(page, 'Line 39').waitFor()
    const stream = await write('Thinking 🟢')
    const message = row(page, 'Thinking')
    await message.getByText('writing…').waitFor()
    for (const piece of [' about', ' **it**', '\n\n- one\n- two', '\n- three\n'.repeat(20), '\nlast']) {
      await stream.append(piece)
    }
    await message.locator('strong', { hasText: 'it' }).waitFor()
    const last = message.getByText('last')
    await last.waitFor()
    await expect.poll(() => last.evaluate((node) => node.getBoundingClientRect().bottom < innerHeight)).toBe(true)
    expect(await page.getByRole('log').innerText()).not.toContain('Thinking')
    expect(await axeViolations(page)).toEqual([])

    await stream.finish()
    await expect.poll(() => page.getByRole('log').innerText()).toMatch(/Thinking 🟢 about it[\s\S]*last$/)
    await message.getByText('writing…').waitFor({ state: 'detached' })
    expect(await message.getByText('(edited)').count()).toBe(0)
    // What was read as it grew isn't folded at the end.
    expect(await last.isVisible()).toBe(true)
    await message.getByRole('button', { name: 'Show less' }).waitFor()
    await page.reload()
    await row(page, 'Thinking').waitFor()
    expect(await page.getByText('(edited)').count()).toBe(0)
  })

  test('leaves a reader who has scrolled up where they are', async () => {
    const { reader, place, say, fill, write } = await writingFixture()
    await fill()
    const page = await openRoom(open, place, reader, { viewport: PHONE })
    await sent(page, 'Line 39').waitFor()
    const stream = await write('Thinking')
    await row(page, 'Thinking').waitFor()
    await page.getByRole('region', { name: 'Messages' }).hover()
    await page.mouse.wheel(0, -900)
    const line = sent(page, 'Line 25')
    const top = async () => Math.round((await line.boundingBox())?.y ?? 0)
    await line.waitFor()
    await expect.poll(async () => (await top()) === (await top())).toBe(true)
    const before = await top()
    await stream.append('\nline'.repeat(30))
    await stream.append(' end')
    await stream.finish()
    await say('After it')
    await expect.poll(() => page.getByRole('log').innerText()).toContain('end')
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1)
  })

  test('is shown as far as it came to who opens the room, and to who comes back to it', async () => {
    const { reader, place, room, newRoom, write } = await writingFixture()
    const stream = await write('One')
    await stream.append(' two')
    const page = await openRoom(open, place, reader, { reducedMotion: 'reduce' })
    const message = row(page, 'One two')
    await message.getByText('writing…').waitFor()
    expect(await message.locator('.caret').evaluate((caret) => getComputedStyle(caret).animationName)).toBe('none')
    await stream.append(' three')
    await row(page, 'One two three').waitFor()

    // What is appended while another room is open isn't sent here.
    const elsewhere = await newRoom('text')
    await follow(page, `/c/${room.channelId}/${elsewhere.id}`)
    await message.waitFor({ state: 'detached' })
    await stream.append(' four')
    // Of a message that isn't new, the page asks what it has missed, once.
    await page.clock.setSystemTime(Date.now() + 60_000)
    await follow(page, `/c/${room.channelId}/${room.id}`)
    await message.waitFor()
    await stream.append(' five')
    await row(page, 'One two three four five').waitFor()
  })

  test('is marked if it was interrupted, in both languages', async () => {
    const { reader, place, write } = await writingFixture()
    const stream = await write('Half of')
    const page = await openRoom(open, place, reader)
    const russian = await openRoom(open, place, reader, { locale: 'ru-RU' })
    await row(page, 'Half of').getByText('writing…').waitFor()
    await russian.getByText('пишет…').waitFor()
    await stream.append(' it')
    await stream.finish({ interrupted: true })
    const mark = row(page, 'Half of it').getByText('(interrupted)')
    await mark.waitFor()
    expect(await mark.getAttribute('title')).toBe('The bot stopped before it had written everything.')
    await russian.getByText('(прервано)').waitFor()
    await expect.poll(() => page.getByRole('log').innerText()).toMatch(/interrupted: Half of it$/)
    expect(await axeViolations(page)).toEqual([])
    await page.reload()
    await row(page, 'Half of it').getByText('(interrupted)').waitFor()
  })
})
