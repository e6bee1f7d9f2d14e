import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser, type Visit, type Visitor } from '../browser.ts'
import { newMessage, PHONE } from '../portal-visit.ts'
import { openRoom, sent } from './chat-visit.ts'

const OPTIONS = [
  { name: 'who', type: 'member', required: true, description: 'Who deploys it' },
  { name: 'count', type: 'integer', min: 1, max: 9 },
  { name: 'where', type: 'choice', choices: [{ value: 'staging' }, { value: 'live', label: 'Production' }] },
  { name: 'crew', type: 'role' },
  { name: 'room', type: 'room' },
  { name: 'force', type: 'boolean' },
]

/** A room with a bot whose command has options, opened by its owner. */
async function openWithOptions(open: Visitor['open'], visit: Visit = {}) {
  const made = await channelFixture({ people: 1, bots: 1 })
  const { server, owner, people, bots, at, room, newRole } = made
  expectOk(await owner.put(`${at}/members/${people[0].id}/nickname`, { nickname: 'Ada Novak' }))
  const crew = await newRole('Night crew', [])
  const commands = [{ name: '/deploy', description: 'Deploys a build', options: OPTIONS }]
  expectOk(await bots[0].put('/commands', { commands }))
  const page = await openRoom(open, { url: server.url, room }, owner, visit)
  await page.locator('textarea').click()
  return { ...made, page, crew }
}

async function accept(page: Page, option: string): Promise<void> {
  await page.getByRole('option', { name: option, selected: true }).waitFor()
  await page.keyboard.press('Tab')
}

function guide(page: Page) {
  return page.locator('[data-landmark="composer"]').getByRole('status')
}

describeInBrowser('the options of a command', ({ open }) => {
  test('are offered one after another, and sent as one line', async () => {
    const { page, owner, people, room, crew } = await openWithOptions(open)
    await page.keyboard.type('/deploy ')
    await guide(page).getByText('who: a member. Who deploys it').waitFor()
    await page.keyboard.type('nov')
    await accept(page, 'Ada Novak')
    await guide(page).getByText('count: a whole number, 1–9, optional').waitFor()
    await page.keyboard.type('12 ')
    await guide(page).getByText('count must be a whole number, 1–9.').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.keyboard.type(' ')
    await guide(page).getByText('count must be').waitFor({ state: 'detached' })
    await page.getByRole('listbox', { name: 'Values of where' }).getByRole('option').nth(1).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type('nig')
    await accept(page, '@Night crew')
    await page.getByRole('option', { name: 'workshop' }).click()
    await page.keyboard.type('y')
    await accept(page, 'yes')
    await expect.poll(() => newMessage(page).inputValue()).toBe('/deploy @Ada Novak 1 live @Night crew #workshop yes ')
    await page.keyboard.press('Enter')
    await sent(page, '/deploy').waitFor()
    const { messages } = expectOk(
      await owner.get<{ messages: { text: string }[] }>(`/rooms/${room.id}/messages?channelId=${room.channelId}`),
    )
    expect(messages[0]?.text).toMatch(
      new RegExp(`^/deploy <@${people[0].id}> 1 live <@&${crew.id}> \\[#workshop\\]\\(\\S+/${room.id}\\) yes\\s*$`),
    )
  })

  test('can be left out: Enter sends what nobody has begun to write', async () => {
    const { page } = await openWithOptions(open)
    await page.keyboard.type('/deploy @nov')
    await accept(page, 'Ada Novak')
    await page.keyboard.type('force:')
    await page.getByRole('listbox', { name: 'Values of force' }).waitFor()
    await page.keyboard.type('no where:')
    await page.getByRole('option', { name: 'Production' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await page.keyboard.type('sta')
    await page.keyboard.press('Enter')
    await sent(page, 'where:sta').waitFor()
    await page.keyboard.type('/deploy ')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await sent(page, '/deploy').nth(1).waitFor()
    await expect.poll(() => newMessage(page).inputValue()).toBe('')
  })

  test('fit on a phone, also in the dark', async () => {
    const { page } = await openWithOptions(open, {
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    })
    await page.keyboard.type('/deploy where:')
    await page.getByRole('option', { name: 'Production' }).tap()
    await expect.poll(() => newMessage(page).inputValue()).toBe('/deploy where:live ')
    await guide(page).getByText('who: a member').waitFor()
    expect(await axeViolations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
  })

  test('are explained in Russian', async () => {
    const { page } = await openWithOptions(open, { locale: 'ru-RU' })
    await page.keyboard.type('/deploy where:staging count:many ')
    const status = page.locator('[data-landmark="composer"]').getByRole('status')
    await status.getByText('who: участник. Who deploys it').waitFor()
    await status.getByText('count: здесь нужно другое – целое число, 1–9.').waitFor()
  })
})
