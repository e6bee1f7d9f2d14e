import type { OwnChannel } from '@portico/contract'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { idAt } from '../../server/src/command-line/demo/id-at.ts'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { openRoom, openSheet, row, say, sent } from '../chat/chat-visit.ts'
import { textFile, upload } from '../chat/files-visit.ts'
import { DESKTOP, newMessage, PHONE } from '../portal-visit.ts'

const WIDE = { width: 1920, height: 1080 }

async function boxOf(element: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await element.boundingBox()
  if (!box) throw new Error(`${String(element)} is not shown`)
  return box
}

describeInBrowser('the look of the portal', ({ open }) => {
  test('centers the conversation in a wide window, with the actions at the text', async () => {
    const { server, owner, channel, room } = await channelFixture()
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'centered' }))
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: WIDE })
    await newMessage(page).waitFor()
    const main = await boxOf(page.getByRole('main'))
    const composer = await boxOf(page.locator('[data-landmark="composer"]'))
    const middle = (box: { x: number; width: number }) => box.x + box.width / 2
    expect(Math.abs(middle(main) - middle(composer))).toBeLessThan(4)
    const text = await boxOf(row(page, 'centered').locator('.body'))
    expect(text.x).toBeGreaterThan(composer.x)
    await row(page, 'centered').hover()
    const toolbar = await boxOf(row(page, 'centered').getByRole('toolbar'))
    expect(toolbar.x + toolbar.width).toBeLessThanOrEqual(composer.x + composer.width)
  })

  test('keeps “Create a channel” and “Open channels” in view below many channels', async () => {
    const { server, owner, room } = await channelFixture()
    for (let index = 0; index < 16; index += 1)
      expectOk(await owner.post<OwnChannel>('/channels', { name: `Channel ${index}` }))
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: { width: 1280, height: 650 } })
    const rail = page.getByRole('navigation', { name: 'Channels' })
    await rail.getByRole('link', { name: 'Channel 15' }).waitFor({ state: 'attached' })
    for (const control of [
      rail.getByRole('button', { name: 'Create a channel' }),
      rail.getByRole('link', { name: 'Open channels' }),
    ]) {
      const { y, height } = await boxOf(control)
      expect(y + height).toBeLessThanOrEqual(650)
    }
    expect(await axeViolations(page)).toEqual([])
  })

  test('shows the buttons of a long dialog in a low window', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: { width: 1280, height: 400 } })
    await page.getByRole('link', { name: /^workshop/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Edit room' }).click()
    const dialog = page.getByRole('dialog')
    const save = await boxOf(dialog.getByRole('button', { name: 'Save' }))
    expect(save.y + save.height).toBeLessThanOrEqual(400)
  })

  test('says which day is being read while the history scrolls', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const place = { channel_id: channel.id, room_id: room.id, author_id: owner.id }
    const moments = Array.from({ length: 80 }, (_, index) => Date.UTC(2026, 2, 3, 12) + index * 60_000)
    await server.services.database.kysely
      .insertInto('messages')
      .values(
        moments.map((moment, index) => ({
          ...place,
          id: idAt(moment),
          text: `line ${index}`,
          created_at: new Date(moment).toISOString(),
        })),
      )
      .execute()
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    await row(page, 'line 79').hover()
    // It goes a moment after the last scroll, which a slow machine may miss.
    const day = page.locator('p[aria-hidden="true"]', { hasText: '3 March 2026' })
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, -60)
        return day.count()
      })
      .toBe(1)
  })

  test('shows checklists as check boxes that nobody can tick, and the size of a file', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const file = await upload(owner, room.id, textFile('notes.txt', 'a'.repeat(3072)))
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    await say(page, '- [x] bake\n- [ ] eat')
    await sent(page, 'bake')
      .getByRole('checkbox', { name: 'done', exact: true, checked: true, disabled: true })
      .waitFor()
    await sent(page, 'bake').getByRole('checkbox', { name: 'not done', checked: false, disabled: true }).waitFor()
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: file.markdown }))
    await page.getByRole('link', { name: 'Download notes.txt' }).getByText('3 kB').waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  test('keeps the counter of a long message out of its text', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: PHONE })
    await newMessage(page).fill('a'.repeat(3950))
    const counter = await boxOf(page.locator('[data-landmark="composer"]').getByText('50', { exact: true }))
    const field = await boxOf(newMessage(page))
    expect(counter.y).toBeGreaterThanOrEqual(field.y + field.height)
  })

  test('opens message actions from the bottom of a phone, and the emoji picker without its keyboard', async () => {
    const { server, owner, channel, room } = await channelFixture()
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'pressed' }))
    const page = await openRoom(open, { url: server.url, room }, owner, {
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
    })
    const sheet = await openSheet(page, 'pressed')
    const box = await boxOf(sheet)
    expect(Math.round(box.y + box.height)).toBe(PHONE.height)
    expect(Math.round(box.width)).toBe(PHONE.width)
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Pick an emoji' }).click()
    const picker = page.getByRole('dialog', { name: 'Pick an emoji' })
    await picker.waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('INPUT')
    await picker.getByRole('gridcell').first().click()
    await picker.waitFor({ state: 'detached' })
    expect(await newMessage(page).inputValue()).not.toBe('')
  })
})
