import type { Message } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { botOperations, userOperations } from '../../server/src/http/bot-operations.ts'
import { channelFixture, expectOk, portal } from '../../server/test/channel-fixture.ts'
import { describeInBrowser, type Visit } from '../browser.ts'
import { axeViolations } from '../axe-violations.ts'

const OPERATIONS = [...botOperations, ...userOperations]
const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }

describeInBrowser('the API reference', ({ open }) => {
  const visit = async (options: Visit = {}): Promise<Page> => {
    const { server } = await portal()
    return open(`${server.url}/docs`, { viewport: DESKTOP, reducedMotion: 'reduce', ...options })
  }

  test('lists every operation by subject, with its request, access, input, responses and errors', async () => {
    const page = await visit()
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const listed = await page
      .locator('#contents a[title]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('title') ?? ''))
    const shown = await page.locator('.operation').evaluateAll((sections) =>
      sections.map((section) => ({
        name: section.id,
        title: section.querySelector('h3')?.textContent?.trim(),
        request: section.querySelector('figure code')?.textContent ?? '',
      })),
    )
    expect(listed.toSorted()).toEqual(OPERATIONS.map(([, { at }]) => at.replaceAll(/:(\w+)/g, '{$1}')).toSorted())
    expect(shown).toHaveLength(OPERATIONS.length)
    for (const [name, { summary }] of OPERATIONS) {
      expect(shown).toContainEqual({
        name,
        title: summary,
        request: expect.stringMatching(/^curl .*http:\/\/portico\.test\/api\/v1\//),
      })
    }

    const section = page.getByRole('region', { name: 'Send a message to a text room' })

    const needs = await section.getByRole('list', { name: 'Needs' }).getByRole('listitem').allInnerTexts()
    expect(needs).toEqual(['Scope messages:write', 'Right write_text_room', 'Text room', 'Write quota: 20 in 60 s'])

    const text = section.getByRole('table', { name: 'Body' }).getByRole('row', { name: /^text/ })
    await expect.poll(() => text.innerText()).toMatch(/string\s*·?\s*1–4000 characters/)
    await expect.poll(() => section.getByRole('table', { name: 'Answer 201' }).innerText()).toContain('author.name')

    await section.getByText('403').click()
    await expect.poll(() => section.getByText('"requiredRight": "write_text_room"').first().isVisible()).toBe(true)
    await expect.poll(() => section.getByText('"reason": "muted"').isVisible()).toBe(true)
    await hasNoFaults(page)
  })

  test('highlights the current section, and finds a route with the keyboard', async () => {
    const page = await visit()
    await page.locator('#sendMessage').evaluate((section) => section.scrollIntoView())
    const current = page.locator('#contents [aria-current="true"]')
    await expect.poll(() => current.allInnerTexts()).toEqual([expect.stringContaining('Send a message')])

    await page.keyboard.press('/')
    await page.keyboard.type('chat mute delete')
    const shown = page.locator('#contents section:not(.found)').getByRole('listitem')
    await expect.poll(() => shown.allInnerTexts()).toEqual([expect.stringContaining('Unmute a member in chat')])

    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).hash).toBe('#unmuteChat')

    await page.getByLabel('Search the documentation').fill('weather')
    await expect.poll(() => page.getByRole('status').innerText()).toBe('Nothing of that name.')
  })

  test('copies a request, and shows requests in the language that was chosen last', async () => {
    const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
    const request = page.locator('#getProfile figure').first()
    await request.getByRole('button', { name: 'Copy' }).click()
    await request.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'curl http://portico.test/api/v1/me \\\n  -H "Authorization: Bot $PORTICO_KEY"',
    )

    const samples = page.locator('#sendMessage .samples')
    await expect.poll(() => samples.locator('figure:visible code').innerText()).toMatch(/^curl /)
    await samples.getByRole('button', { name: 'TypeScript' }).first().click()
    await expect.poll(() => samples.locator('figure:visible code').innerText()).toContain('await client.sendMessage({')
    await expect
      .poll(() => page.locator('#listMembers figure:visible code').first().innerText())
      .toContain('client.listMembers({')
    expect(await samples.getByRole('button', { name: 'TypeScript' }).evaluate((it) => it.matches(':focus'))).toBe(true)

    await page.reload()
    await expect.poll(() => samples.locator('figure:visible code').innerText()).toContain('await client.sendMessage({')
    await samples.getByRole('button', { name: 'Python' }).click()
    await expect.poll(() => samples.locator('figure:visible code').innerText()).toContain('httpx.request(')
  })

  test('sends a request with the reader’s own key, which it doesn’t keep', async () => {
    const { bots, room, channel, server } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const page = await open(`${server.url}/docs`, { viewport: DESKTOP })
    const section = page.locator('#sendMessage')
    await section.getByText('Try it').click()
    await section.getByLabel('Your key or user token').fill(bot.key)
    await section.getByLabel('roomId').fill(room.id)
    await section.getByLabel('Body').fill(JSON.stringify({ channelId: channel.id, text: 'Tried in the reference' }))
    await section.getByRole('button', { name: 'Send POST' }).click()
    const answer = section.getByRole('status')
    await expect.poll(() => answer.innerText(), { timeout: 20_000 }).toMatch(/^201\s[^]*Tried in the reference/)
    const history = await bot.get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`)
    expect(expectOk(history).messages[0]?.text).toBe('Tried in the reference')

    // The key is there for the other requests of the page, and gone with the page.
    await page.locator('#getProfile').getByText('Try it').click()
    await expect.poll(() => page.locator('#getProfile').getByLabel('Your key or user token').inputValue()).toBe(bot.key)
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(bot.key)
    await page.reload()
    await section.getByText('Try it').click()
    await expect.poll(() => section.getByLabel('Your key or user token').inputValue()).toBe('')
  })

  test('finds sections of the guides, which have the same contents and samples in the chosen language', async () => {
    const page = await visit()
    await page.locator('#sendMessage .samples').getByRole('button', { name: 'Python', exact: true }).first().click()
    await page.getByLabel('Search the documentation').fill('leaked keys')
    await page.locator('.found').getByRole('link', { name: 'Leaked keys' }).click()
    await page.getByRole('heading', { name: 'Leaked keys' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/docs/guides/bot-api')
    await expect.poll(() => page.locator('#contents [aria-current="page"]').innerText()).toBe('Building bots')
    const shown = page.locator('.samples figure:visible')
    await expect.poll(() => shown.first().innerText()).toContain('api.get("/me")')
    await shown.first().getByRole('button', { name: 'TypeScript', exact: true }).click()
    await expect.poll(() => shown.first().innerText()).toContain('client.getProfile()')
    await expect.poll(() => shown.last().innerText()).toContain('client.revokeKey()')
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'API reference' }).click()
    await page.getByRole('heading', { name: 'Portico Bot API' }).waitFor()
  })

  test('keeps its contents in a drawer on a phone', async () => {
    const page = await visit({ viewport: PHONE, hasTouch: true })
    const contents = page.getByRole('navigation', { name: 'Contents' })
    await expect.poll(() => contents.isVisible()).toBe(false)

    await page.getByRole('button', { name: 'Contents' }).click()
    await expect.poll(() => contents.isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => contents.isVisible()).toBe(false)

    await page.getByRole('button', { name: 'Contents' }).click()
    await contents.getByRole('link', { name: 'Quotas' }).click()
    await expect.poll(() => contents.isVisible()).toBe(false)
    await expect.poll(() => page.getByRole('heading', { name: 'Quotas' }).isVisible()).toBe(true)

    await page.getByRole('button', { name: 'Contents' }).click()
    await expect.poll(() => contents.isVisible()).toBe(true)
    await hasNoFaults(page)
  })

  test('works without JavaScript', async () => {
    const page = await visit({ javaScriptEnabled: false })
    const contents = page.getByRole('navigation', { name: 'Contents' })
    await expect.poll(() => contents.getByLabel('Search the documentation').isVisible()).toBe(false)
    await contents.getByRole('link', { name: 'Send a message to a text room' }).click()
    expect(new URL(page.url()).hash).toBe('#sendMessage')
    const section = page.locator('#sendMessage')
    await section.getByText('422', { exact: true }).click()
    await expect.poll(() => section.getByText('"reason": "no_such_room"').isVisible()).toBe(true)
  })
})

/**
 * Operations share one layout: a few complete ones represent the rest. The others leave the page, because axe takes half a
 * minute for all of them, even if they are excluded.
 */
async function hasNoFaults(page: Page): Promise<void> {
  await page.locator('#sendMessage details').evaluateAll((all: HTMLDetailsElement[]) => {
    for (const details of all) details.open = true
  })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page
    .locator('.operation:not(#sendMessage, #listMembers, #muteChat, #unmuteChat)')
    .evaluateAll((all) => all.forEach((operation) => operation.remove()))
  expect(await axeViolations(page)).toEqual([])
}
