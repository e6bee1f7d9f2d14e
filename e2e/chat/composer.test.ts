import { LIMITS } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { act, field, openRoom, row, say, sent } from './chat-visit.ts'
import { DESKTOP, focused, PHONE } from '../portal-visit.ts'

describeInBrowser('the composer', ({ open }) => {
  test('grows and shrinks, and keeps the end of the room in view', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    for (const name of ['first', 'second', 'third']) {
      const text = `${'and one more line\n'.repeat(20)}the ${name}`
      expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    await row(page, 'the first').waitFor()
    // New messages are marked as read, and the view moves to the end.
    await field(page).press('Escape')
    await atTheEnd(page, 'the third')
    await act(page, 'the third', 'Reply')
    await page.getByText(`Replying to ${people[0].name}`).waitFor()
    await atTheEnd(page, 'the third')
    for (let line = 0; line < 6; line += 1) {
      await page.keyboard.type(`line ${line}`)
      await page.keyboard.press('Shift+Enter')
      await atTheEnd(page, 'the third')
    }
    await field(page).fill('short')
    await atTheEnd(page, 'the third')
    await page.getByRole('button', { name: 'Cancel reply' }).click()
    await atTheEnd(page, 'the third')
    await page.setViewportSize({ ...DESKTOP, height: 500 })
    await atTheEnd(page, 'the third')
    await page.setViewportSize(DESKTOP)
    await atTheEnd(page, 'the third')
  })

  test('passes Page Up and Page Down to the messages and keeps the focus', async () => {
    const { server, owner, room } = await channelFixture()
    for (const name of ['first', 'second']) {
      const text = `the ${name}\n${'and one more line\n'.repeat(60)}`
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    await row(page, 'the second').waitFor()
    await field(page).fill('not sent yet')
    const jump = page.getByRole('button', { name: 'Jump to present' })
    await page.keyboard.press('PageUp')
    await jump.waitFor()
    await focused(page, field(page))
    await page.keyboard.press('PageDown')
    await jump.waitFor({ state: 'detached' })
    await expect.poll(() => field(page).inputValue()).toBe('not sent yet')

    await row(page, 'the second').focus()
    await page.keyboard.press('PageUp')
    await jump.waitFor()
    await focused(page, page.getByRole('article'))
  })

  test('sends with Enter, breaks the line with Shift+Enter, and does neither during IME composition', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    await field(page).focus()
    await page.keyboard.type('one')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('two')
    await expect.poll(() => field(page).inputValue()).toBe('one\ntwo')
    await page.keyboard.press('Enter')
    await sent(page, 'two').waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('')

    const input = await page.context().newCDPSession(page)
    await input.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
    await field(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })
    await expect.poll(() => field(page).inputValue()).toBe('にほん')
    await input.send('Input.insertText', { text: '日本' })
    await page.keyboard.press('Enter')
    await sent(page, '日本').waitFor()
    await expect.poll(() => row(page, 'にほん').count()).toBe(0)
  })

  test('breaks the line with Enter on a phone, where a button sends', async () => {
    const { server, owner, room } = await channelFixture()
    const visit = { viewport: PHONE, hasTouch: true, isMobile: true }
    const page = await openRoom(open, { url: server.url, room }, owner, visit)
    await field(page).tap()
    await page.keyboard.type('one')
    await page.keyboard.press('Enter')
    await page.keyboard.type('two')
    await expect.poll(() => field(page).inputValue()).toBe('one\ntwo')
    await page.getByRole('button', { name: 'Send' }).tap()
    await sent(page, /one\s*two/).waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('')
  })

  test('shows a message immediately, before the server has it', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const place = { url: server.url, room }
    const page = await openRoom(open, place, owner)
    const reader = await openRoom(open, place, people[0])
    await page.getByText('No messages yet').waitFor()
    let arrive = () => {}
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    await page.route('**/portal/v1/rooms/*/messages', async (route) => {
      await arrived
      await route.continue()
    })
    await say(page, 'on its way')
    await row(page, 'on its way').and(page.locator('.unsent')).waitFor()
    await expect.poll(() => row(reader, 'on its way').count()).toBe(0)
    arrive()
    await row(reader, 'on its way').waitFor()
    await sent(page, 'on its way').waitFor()
    await expect.poll(() => row(page, 'on its way').count()).toBe(1)
  })

  test('counts the remaining characters near the limit, and does not send a longer message', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    await field(page).fill('😀'.repeat(LIMITS.messageText + 2))
    const button = page.getByRole('button', { name: 'Send' })
    await page
      .getByRole('group', { name: /^Message/ })
      .getByText('-2', { exact: true })
      .waitFor()
    await expect.poll(() => button.isDisabled()).toBe(true)
    await field(page).press('Enter')
    await expect.poll(() => page.getByRole('article').count()).toBe(0)
    await field(page).press('Backspace')
    await field(page).press('Backspace')
    await button.and(page.locator(':enabled')).click()
    await sent(page, '😀').waitFor()
  })

  test('counts names as the mentions that they become, and refuses a text that becomes too long before it is sent', async () => {
    const { server, owner, people, at, room } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await owner.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Al' }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    const left = page.getByRole('group', { name: /^Message/ }).locator('.left > [aria-hidden]')
    // Entered before anyone knows whom the name means.
    const padding = LIMITS.messageText - `<@${ada.id}> `.length
    await say(page, `@Al ${'x'.repeat(padding + 3)}`)
    await left.getByText('-3', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Send', disabled: true }).count()).toBe(1)
    await expect.poll(() => page.getByRole('article').count()).toBe(0)
    await say(page, `@Al ${'x'.repeat(padding)}`)
    await sent(page, 'xxx').getByRole('button', { name: '@Al', exact: true }).waitFor()
  })

  test('counts names in an edit in the same way, as soon as they are typed', async () => {
    const { server, owner, people, at, room } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await owner.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Al' }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    await say(page, 'a beginning')
    await sent(page, 'a beginning').waitFor()
    await act(page, 'a beginning', 'Edit')
    const box = page.getByRole('textbox', { name: 'Edit message' })
    const left = page.getByRole('article').locator('.left > [aria-hidden]')
    const padding = LIMITS.messageText - `<@${ada.id}> `.length
    await box.fill(`@Al ${'x'.repeat(padding + 3)}`)
    await left.getByText('-3', { exact: true }).waitFor()
    await box.press('Enter')
    await box.and(page.locator('[aria-invalid]')).waitFor()
    await box.fill(`@Al ${'x'.repeat(padding)}`)
    await left.getByText('0', { exact: true }).waitFor()
    await box.press('Enter')
    await sent(page, 'xxx').getByRole('button', { name: '@Al', exact: true }).waitFor()
  })

  test('closes one thing at a time with Esc: a list, then the reply', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const page = await openRoom(open, { url: server.url, room }, owner)
    expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'a question' }))
    await act(page, 'a question', 'Reply')
    const reply = page.getByText(`Replying to ${people[0].name}`)
    await reply.waitFor()
    await focused(page, field(page))
    await page.keyboard.type(`@${people[0].name.slice(0, 6)}`)
    const list = page.getByRole('listbox', { name: 'Members' })
    await list.waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await expect.poll(() => reply.count()).toBe(1)
    await page.keyboard.press('Escape')
    await reply.waitFor({ state: 'detached' })
    await focused(page, field(page))
  })
})

/** The last message is fully visible, and there is no button to jump to it. */
async function atTheEnd(page: Page, text: string): Promise<void> {
  await page.waitForFunction((words) => {
    const list = document.querySelector('[data-landmark="messages"]')
    const last = [...document.querySelectorAll('article')].at(-1)
    if (!list || !last?.textContent?.includes(words)) return false
    const below = list.scrollHeight - list.clientHeight - list.scrollTop
    return below < 2 && last.getBoundingClientRect().bottom <= list.getBoundingClientRect().bottom
  }, text)
  await expect.poll(() => page.getByRole('button', { name: 'Jump to present' }).count()).toBe(0)
}
