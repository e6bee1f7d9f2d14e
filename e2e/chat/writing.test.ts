import type { Message } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, channelFixture, type ChannelFixture } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { field, openRoom, row, say, sent } from './chat-visit.ts'
import { DESKTOP, focused, PHONE, tabTo } from '../portal-visit.ts'

type Place = Pick<ChannelFixture<1, 0>, 'room'>

async function write(person: Person, { room }: Place, text: string, more: object = {}): Promise<Message> {
  const message = { channelId: room.channelId, text, ...more }
  return expectOk(await person.post<Message>(`/rooms/${room.id}/messages`, message))
}

describeInBrowser('a message', ({ open }) => {
  test('hides its spoilers until they are pressed, also with the keyboard, and in quotes', async () => {
    const here = await channelFixture({ people: 1 })
    const { server, owner, people, room } = here
    const { id } = await write(people[0], here, 'It was ||the **butler**||')
    await write(people[0], here, 'Who?', { replyToId: id })
    const long = await write(people[0], here, `Long ago ||${'the secret '.repeat(30)}||`)
    await write(people[0], here, 'When?', { replyToId: long.id })
    const page = await openRoom(open, { url: server.url, room }, owner)
    const said = row(page, 'It was').first()
    const spoiler = said.getByRole('button', { name: 'Show spoiler' })
    await spoiler.waitFor()
    await row(page, 'Who?').getByText('It was ▒▒▒').waitFor()
    // A quote that is cut within a spoiler.
    await row(page, 'When?').getByText('Long ago ▒▒▒', { exact: true }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await said.focus()
    await tabTo(page, spoiler)
    await page.keyboard.press('Enter')
    await said.locator('strong', { hasText: 'butler' }).waitFor()
    await focused(page, said.locator('.shown'))
    // Bots and other clients get the text as it was written.
    const at = `/rooms/${room.id}/messages?channelId=${room.channelId}`
    const { messages } = expectOk(await owner.get<{ messages: { text: string }[] }>(at))
    expect(messages.map(({ text }) => text)).toContain('It was ||the **butler**||')
  })

  test('is folded if it has many lines, until it is unfolded, and then folded again where it is', async () => {
    const here = await channelFixture({ people: 1 })
    const { server, owner, people, room } = here
    for (const name of ['first', 'second']) await write(people[0], here, `the ${name}\n${'one more line\n'.repeat(60)}`)
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    // The room opens at the first unread message. The list may leave out rows that are further away.
    const said = row(page, 'the first')
    const more = said.getByRole('button', { name: 'Show more', expanded: false })
    const less = said.getByRole('button', { name: 'Show less', expanded: true })
    const height = async () => (await said.boundingBox())?.height ?? 0
    await more.waitFor()
    expect(await axeViolations(page)).toEqual([])
    for (let times = 0; times < 2; times += 1) {
      await more.click()
      await less.waitFor()
      await expect.poll(height).toBeGreaterThan(1000)
      await focused(page, less)
      expect(await axeViolations(page)).toEqual([])
      await less.click()
      await more.waitFor()
      await expect.poll(height).toBeLessThan(700)
      await focused(page, more)
    }
    await row(page, 'the second').getByRole('button', { name: 'Show more', expanded: false }).press('Enter')
    await row(page, 'the second').getByRole('button', { name: 'Show less', expanded: true }).waitFor()
  })

  test('opens its menu on a right click, but not on a link', async () => {
    const here = await channelFixture({ people: 1 })
    const { server, owner, people, room } = here
    await write(people[0], here, 'A question, see https://example.org/')
    const page = await openRoom(open, { url: server.url, room }, owner)
    const said = sent(page, 'A question')
    await said.getByRole('link').click({ button: 'right' })
    await said.getByText('A question').click({ button: 'right', position: { x: 4, y: 8 } })
    const menu = page.getByRole('menu', { name: 'Message actions' })
    await focused(page, menu.getByRole('menuitem').first())
    expect(await menu.count()).toBe(1)
    expect(await axeViolations(page)).toEqual([])
    await menu.getByRole('menuitem', { name: 'Add a reaction' }).click()
    await page.getByRole('dialog', { name: 'Pick an emoji' }).waitFor()
    await page.keyboard.press('Escape')
    await said.focus()
    await page.keyboard.press('Shift+F10')
    await menu.getByRole('menuitem', { name: 'Reply' }).click()
    await page.getByText(`Replying to ${people[0].name}`).waitFor()
    await focused(page, field(page))
  })

  test('colors code whose language is named', async () => {
    const here = await channelFixture({ people: 1 })
    const { server, owner, people, room } = here
    const code = ['// The answer', 'const answer = "42"', 'return 6 * 7'].join('\n')
    await write(people[0], here, `\`\`\`ts\n${code}\n\`\`\``)
    await write(people[0], here, '```diff\n+new\n-old\n```\nand `inline` code')
    const page = await openRoom(open, { url: server.url, room }, owner)
    const block = row(page, 'The answer').locator('pre')
    await block.locator('.keyword', { hasText: 'const' }).waitFor()
    await block.locator('.comment', { hasText: '// The answer' }).waitFor()
    await row(page, 'inline').locator('.removed', { hasText: '-old' }).waitFor()
    expect(await block.innerText()).toBe(code)
    expect(await page.locator('pre [style]').count()).toBe(0)
    expect(await axeViolations(page)).toEqual([])
  })

  test('is as wide as the composer, and only one shows its actions', async () => {
    const here = await channelFixture({ people: 1 })
    const { server, owner, people, room } = here
    await write(people[0], here, 'word '.repeat(200))
    await write(people[0], here, 'second')
    await write(people[0], here, 'third')
    const viewport = { width: 1920, height: 1080 }
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport })
    await row(page, 'third').waitFor()
    const rightOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox()
      return box && Math.round(box.x + box.width)
    }
    await expect.poll(() => rightOf('[data-landmark="composer"] .box')).toBe(await rightOf('article .body'))

    await row(page, 'second').focus()
    await page.keyboard.press('ArrowDown')
    await row(page, 'third').getByRole('toolbar').waitFor()
    await row(page, 'second').hover()
    await row(page, 'second').getByRole('toolbar').waitFor()
    await expect.poll(() => page.getByRole('toolbar', { name: 'Message actions' }).count()).toBe(1)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await row(page, 'third').getByRole('toolbar').waitFor()
    await expect.poll(() => page.getByRole('toolbar', { name: 'Message actions' }).count()).toBe(1)
  })
})

describeInBrowser('the composer', ({ open }) => {
  test('formats the selected text with a bar and with shortcuts', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    const bar = page.getByRole('toolbar', { name: 'Formatting' })
    await page.getByRole('button', { name: 'Show formatting' }).click()
    await bar.waitFor()
    expect(await axeViolations(page)).toEqual([])
    const formatted = [
      ['Bold', 'ControlOrMeta+b', '**word**'],
      ['Italic', 'ControlOrMeta+i', '*word*'],
      ['Strikethrough', 'ControlOrMeta+Shift+x', '~~word~~'],
      ['Code', 'ControlOrMeta+e', '`word`'],
      ['Code block', 'ControlOrMeta+Shift+e', '```\nword\n```'],
      ['Quote', 'ControlOrMeta+Shift+9', '> word'],
      ['List', 'ControlOrMeta+Shift+8', '- word'],
      ['Spoiler', 'ControlOrMeta+Shift+h', '||word||'],
    ] as const
    for (const [name, shortcut, text] of formatted) {
      for (const format of [
        () => bar.getByRole('button', { name, exact: true }).click(),
        () => page.keyboard.press(shortcut),
      ]) {
        await field(page).fill('word')
        await field(page).press('ControlOrMeta+a')
        await format()
        await expect.poll(() => field(page).inputValue()).toBe(text)
        await focused(page, field(page))
      }
    }
    await page.reload()
    await bar.waitFor()
    await page.getByRole('button', { name: 'Hide formatting' }).click()
    await bar.waitFor({ state: 'detached' })
  })

  test('remembers the skin tone, and which emoji were used', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    const picker = page.getByRole('dialog', { name: 'Pick an emoji' })
    await page.getByRole('button', { name: 'Pick an emoji' }).click()
    await picker.getByRole('rowgroup', { name: 'Smileys' }).waitFor()
    expect(await picker.getByRole('button', { name: 'Recently used' }).count()).toBe(0)
    await picker.getByRole('radio', { name: 'Medium', exact: true }).check({ force: true })
    await picker.getByRole('searchbox').fill('thumbs up')
    await picker.getByRole('gridcell', { name: 'thumbs up' }).click()
    await expect.poll(() => field(page).inputValue()).toBe('👍🏽')
    await say(page, 'well done :clap:')
    await sent(page, 'well done 👏🏽').waitFor()
    await page.getByRole('button', { name: 'Pick an emoji' }).click()
    await picker.getByRole('rowgroup', { name: 'Recently used' }).getByRole('gridcell', { name: 'thumbs up' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  test('formats selected text on a phone, where the header has a menu with topic and notifications', async () => {
    const { server, owner, at, room } = await channelFixture()
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { topic: 'What comes next' }))
    const visit = { viewport: PHONE, hasTouch: true, isMobile: true }
    const page = await openRoom(open, { url: server.url, room }, owner, visit)
    await field(page).fill('word')
    await field(page).press('ControlOrMeta+a')
    const bar = page.getByRole('toolbar', { name: 'Formatting' })
    await bar.getByRole('button', { name: 'Bold' }).tap()
    await expect.poll(() => field(page).inputValue()).toBe('**word**')

    await page.getByRole('button', { name: `More options for ${room.name}` }).tap()
    const menu = page.getByRole('menu', { name: room.name })
    await menu.getByText('What comes next').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await menu.getByRole('menuitem', { name: 'Mute', exact: true }).tap()
    await page.getByRole('button', { name: `More options for ${room.name}` }).tap()
    await menu.getByRole('menuitem', { name: 'Unmute', exact: true }).waitFor()
  })
})
