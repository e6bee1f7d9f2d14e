import { expect, test } from 'vitest'
import { done, world } from '../server/test/world.ts'
import { describeInBrowser } from './browser.ts'
import { field, openRoom, row, say } from './chat-visit.ts'

describeInBrowser('what people write', ({ open }) => {
  test('Cyrillic, emoji, right to left and very long words stay within the column', async () => {
    const { server, owner, room } = await world()
    const page = await openRoom(open, { url: server.url, room }, owner)
    const written = ['Съешь ещё этих мягких французских булок', '👩‍👩‍👧‍👦🏳️‍🌈', 'مرحبا بالعالم 123', 'Ж'.repeat(1500)]
    for (const text of written) {
      await say(page, text)
      await row(page, text).waitFor()
    }
    expect(await row(page, 'مرحبا').locator('p[dir="auto"]').count()).toBe(1)
    const wider = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
    expect(wider).toBe(false)
  })

  test('hostile Markdown is shown and does nothing', async () => {
    const { server, owner, people, room } = await world({ people: 1 })
    const page = await openRoom(open, { url: server.url, room }, owner)
    const hostile = [
      '[click](javascript:alert(1)) <img src=x onerror=alert(2)> ![i](http://foreign.invalid/x.png)',
      '<script>alert(3)</script> <style>*{display:none}</style>',
      '['.repeat(4000),
      '*'.repeat(4000),
      '>'.repeat(4000),
      '- '.repeat(1999),
      '**a *b '.repeat(570),
    ]
    for (const text of hostile) {
      done(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    await say(page, 'still here')
    await row(page, 'still here').waitFor()
    expect(await page.getByRole('region', { name: 'Messages' }).locator('img, script, style').count()).toBe(0)
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
  })

  test('by keyboard alone: written, sent, walked to and reacted to', async () => {
    const { server, owner, room } = await world()
    const page = await openRoom(open, { url: server.url, room }, owner)
    await field(page).waitFor()
    await field(page).focus()
    await page.keyboard.type('bold')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('ControlOrMeta+b')
    expect(await field(page).inputValue()).toBe('**bold**')
    await page.keyboard.press('Enter')
    await row(page, 'bold').locator('strong').waitFor()

    await row(page, 'bold').focus()
    await page.keyboard.press('+')
    await page.getByRole('searchbox', { name: 'Search emoji' }).waitFor()
    await page.keyboard.type('сердце')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await row(page, 'bold').getByRole('list', { name: 'Reactions' }).waitFor()
  })
})
