import { setTimeout as sleep } from 'node:timers/promises'
import type { EventData, Message, optionRequested } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { Stream } from '../../server/test/stream.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser, type Visit, type Visitor } from '../browser.ts'
import { PHONE } from '../portal-visit.ts'
import { openConnected, openRoom, sent } from './chat-visit.ts'

const OPTIONS = [
  { name: 'service', type: 'string', required: true, suggestions: true },
  { name: 'count', type: 'integer', suggestions: true },
]
const SUGGESTIONS: Record<string, readonly { value: string; label?: string }[]> = {
  service: [{ value: 'api', label: 'API server' }, { value: 'api gateway' }, { value: 'web' }],
  count: [{ value: '2' }, { value: '12' }],
}

function field(page: Page): Locator {
  return page.locator('[data-landmark="composer"] textarea')
}

type Asked = EventData<typeof optionRequested>

/** A room with a bot that suggests, opened by its owner. With `held` the bot answers only when the test does. */
async function openSuggesting(open: Visitor['open'], visit: Visit = {}, held = false) {
  const made = await channelFixture({ bots: 1, people: 1 })
  const { server, owner, people, bots, room } = made
  const [bot] = bots
  expectOk(await bot.put('/commands', { commands: [{ name: '/deploy', description: 'Deploys', options: OPTIONS }] }))
  const token = async () => expectOk(await bot.get<{ token: string }>('/events/token?kinds=option.requested')).token
  const stream = await Stream.with(server, token)
  const answer = ({ requestId, option, typed }: Asked) => {
    const suggestions = (SUGGESTIONS[option] ?? []).filter(({ value }) => value.startsWith(typed))
    return bot.put(`/option-requests/${requestId}/suggestions`, { suggestions })
  }
  let answered = 0
  const answering = async (): Promise<void> => {
    for (;;) {
      await stream.until(() => stream.received.length > answered)
      // On a slow machine it may be late: then nothing is shown.
      void answer(asked()[answered++]!)
    }
  }
  const asked = () => stream.received.map(({ envelope }) => envelope.data as unknown as Asked)
  if (!held) void answering()
  const place = { url: server.url, room }
  const page = held
    ? await openConnected(open, place, owner, people[0], visit)
    : await openRoom(open, place, owner, visit)
  await field(page).click()
  const newest = async () => {
    const path = `/rooms/${room.id}/messages?channelId=${room.channelId}`
    return expectOk(await owner.get<{ messages: Message[] }>(path)).messages[0]?.text
  }
  return { ...made, page, stream, asked, answer, newest }
}

/** What is suggested. If the bot was late on a slow machine, it is asked again. */
async function suggested(page: Page, name: string): Promise<Locator> {
  const option = page.getByRole('listbox').getByRole('option', { name })
  for (;;) {
    const isShown = await option
      .first()
      .waitFor({ timeout: 10_000 })
      .then(
        () => true,
        () => false,
      )
    if (isShown) return option
    await page.keyboard.type('x')
    await sleep(1000)
    await page.keyboard.press('Backspace')
  }
}

describeInBrowser('what a bot suggests for an option', ({ open }) => {
  test('is chosen with the keyboard', async () => {
    const { page, asked, owner, room, newest } = await openSuggesting(open)
    await page.keyboard.type('/deploy ap')
    await suggested(page, 'API server')
    const list = page.getByRole('listbox', { name: 'Values of service' })
    expect(await list.getByRole('option').allInnerTexts()).toEqual([
      expect.stringMatching(/API server\s+api/),
      expect.stringMatching(/api gateway\s+"api gateway"/),
    ])
    expect(asked().at(-1)).toMatchObject({ command: '/deploy', option: 'service', typed: 'ap', roomId: room.id })
    expect(asked().at(-1)?.user).toEqual({ id: owner.id, name: owner.name })
    expect(await field(page).getAttribute('aria-activedescendant')).toBe(
      await list.getByRole('option').first().getAttribute('id'),
    )
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => field(page).inputValue()).toBe('/deploy "api gateway" ')
    await suggested(page, '12')
    expect(asked().at(-1)).toMatchObject({ option: 'count', typed: '', options: { service: 'api gateway' } })
    await page.keyboard.press('Tab')
    await expect.poll(() => field(page).inputValue()).toBe('/deploy "api gateway" 2 ')
    await page.keyboard.press('Enter')
    await sent(page, '/deploy').waitFor()
    expect(await newest()).toMatch(/^\/deploy "api gateway" 2\s*$/)
  })

  test('never changes what is written: Enter sends it, and Escape closes the list', async () => {
    const { page, newest } = await openSuggesting(open)
    await page.keyboard.type('/deploy ap')
    await suggested(page, 'API server')
    await page.keyboard.press('Enter')
    await sent(page, '/deploy ap').waitFor()
    expect(await newest()).toBe('/deploy ap')
    await page.keyboard.type('/deploy service:ap')
    await suggested(page, 'API server')
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await page.keyboard.type('e')
    await expect.poll(() => field(page).inputValue()).toBe('/deploy service:ape')
  })

  test('for an earlier text is ignored, and without an answer people go on', async () => {
    const { page, people, room, stream, asked, answer, newest } = await openSuggesting(open, {}, true)
    await page.keyboard.type('/deploy a')
    await stream.until(() => asked().some(({ typed }) => typed === 'a'))
    await page.keyboard.type('pi')
    await stream.until(() => asked().some(({ typed }) => typed === 'api'))
    await answer({ ...asked()[0]!, typed: 'w' })
    // It comes after the answer.
    expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Is it out yet?' }))
    await sent(page, 'Is it out yet?').waitFor()
    expect(await page.getByRole('option').count()).toBe(0)
    await page.keyboard.press('Enter')
    await sent(page, '/deploy api').waitFor()
    expect(await newest()).toBe('/deploy api')
  })

  test('is tapped on a phone, in the dark and in Russian', async () => {
    const visit = { viewport: PHONE, hasTouch: true, isMobile: true, colorScheme: 'dark', locale: 'ru-RU' } as const
    const { page } = await openSuggesting(open, visit)
    await page.keyboard.type('/deploy service:w')
    const option = await suggested(page, 'web')
    await page.getByRole('listbox', { name: 'Варианты для service' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await option.tap()
    await expect.poll(() => field(page).inputValue()).toBe('/deploy service:web ')
  })
})
