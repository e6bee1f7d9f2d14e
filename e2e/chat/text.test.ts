import { LIMITS, type Message } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Person } from '../../server/test/person.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { field, openRoom, row, say, sent } from './chat-visit.ts'
import { focused, PHONE } from '../portal-visit.ts'

describeInBrowser('message text', ({ open }) => {
  test('keeps Cyrillic, emoji, right-to-left and very long words within the column', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    const written = ['Съешь ещё этих мягких французских булок', '👩‍👩‍👧‍👦🏳️‍🌈', 'مرحبا بالعالم 123', 'Ж'.repeat(1500)]
    for (const text of written) {
      await say(page, text)
      await row(page, text).waitFor()
    }
    await expect.poll(() => row(page, 'مرحبا').locator('p[dir="auto"]').count()).toBe(1)
    expect(await widerThanItsPlace(page)).toEqual([])
  })

  test('keeps long and right-to-left names and quotes within a phone screen', async () => {
    const { server, owner, people, at, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const long = 'Ж'.repeat(LIMITS.nickname.max)
    expectOk(await owner.put(`${at}/members/${owner.id}/nickname`, { nickname: long }))
    expectOk(await ada.put(`${at}/members/${ada.id}/nickname`, { nickname: 'سلمى' }))
    const write = async (person: Person, text: string, more: object = {}) =>
      expectOk(await person.post<Message>(`/rooms/${room.id}/messages`, { channelId: room.channelId, text, ...more }))
    const { id } = await write(owner, `https://example.org/${'a'.repeat(900)}`)
    await write(ada, `مرحبا <@${owner.id}> בוקר טוב`, { replyToId: id })
    await write(ada, `\`\`\`\n${'x'.repeat(900)}\n\`\`\`\n> ${'y'.repeat(900)}`)
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: PHONE, isMobile: true })
    await row(page, 'مرحبا').getByText(`@${long}`).waitFor()
    await row(page, 'yyy').locator('pre').waitFor()
    const sides = row(page, 'مرحبا').locator('.body p')
    expect(await sides.evaluate((text) => getComputedStyle(text).direction)).toBe('rtl')
    expect(await widerThanItsPlace(page)).toEqual([])
  })

  test('shows hostile Markdown without running it', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
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
      expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    await say(page, 'still here')
    await row(page, 'still here').waitFor()
    await expect
      .poll(() => page.getByRole('region', { name: 'Messages' }).locator('img, script, style').count())
      .toBe(0)
    await expect.poll(() => page.locator('a[href^="javascript"]').count()).toBe(0)
  })

  test('can be written, sent, reached and reacted to with the keyboard alone', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    await field(page).waitFor()
    await field(page).focus()
    await page.keyboard.type('bold')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('ControlOrMeta+b')
    await expect.poll(() => field(page).inputValue()).toBe('**bold**')
    await page.keyboard.press('Enter')
    await sent(page, 'bold').locator('strong').waitFor()

    await row(page, 'bold').focus()
    await page.keyboard.press('+')
    await focused(page, page.getByRole('searchbox', { name: 'Search emoji' }))
    await page.keyboard.type('сердце')
    await page.keyboard.press('ArrowDown')
    await focused(page, page.getByRole('gridcell').first())
    await page.keyboard.press('Enter')
    await row(page, 'bold').getByRole('list', { name: 'Reactions' }).waitFor()
  })
})

/** The page or rows that scroll sideways or overflow the list. */
function widerThanItsPlace(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const list = document.querySelector('[data-landmark="messages"]')
    const edge = list?.getBoundingClientRect().right ?? 0
    const rows = [...document.querySelectorAll('article')]
    const wide = rows.filter((row) => row.scrollWidth > row.clientWidth || row.getBoundingClientRect().right > edge + 1)
    const page = document.documentElement
    return [
      ...(page.scrollWidth > page.clientWidth ? ['the page'] : []),
      ...wide.map((row) => row.innerText.slice(0, 40)),
    ]
  })
}
