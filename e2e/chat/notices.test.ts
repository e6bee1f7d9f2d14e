import type { Card } from '@portico/contract'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { newId } from '../../server/src/operations/ids.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser, type Visit, type Visitor } from '../browser.ts'
import { follow, PHONE } from '../portal-visit.ts'
import { field, openConnected, say, sent } from './chat-visit.ts'

async function noticesFixture() {
  const made = await channelFixture({ bots: 1, people: 1 })
  const { server, owner, bots, room, people } = made
  const [reader] = people
  return {
    ...made,
    reader,
    visit: (open: Visitor['open'], person: Person, visit: Visit = {}) =>
      openConnected(open, { url: server.url, room }, person, owner, visit),
    show: async (text: string, more: { cards?: Card[]; noticeId?: string; roomId?: string; userId?: string } = {}) => {
      const { roomId = room.id, ...rest } = more
      const body = { channelId: room.channelId, userId: reader.id, text, ...rest }
      expectOk(await bots[0].post(`/rooms/${roomId}/notices`, body))
    },
  }
}

describeInBrowser('notices', ({ open }) => {
  test('are shown to one person until they are dismissed or the page is reloaded', async () => {
    const { owner, reader, visit, show } = await noticesFixture()
    const page = await visit(open, reader)
    const other = await visit(open, owner)
    await show('Did you mean `api`?', { cards: [{ title: 'Services', text: '- **api**\n- **web**' }] })
    await show('There are two of them')

    const notices = page.getByRole('region', { name: 'Shown only to you' }).getByRole('article')
    const first = notices.filter({ hasText: 'Did you mean' })
    await first.getByText('Only you can see this').waitFor()
    await first.locator('code', { hasText: 'api' }).waitFor()
    await first.getByRole('group', { name: 'Card: Services' }).locator('strong', { hasText: 'web' }).waitFor()
    await notices.nth(1).waitFor()
    expect(await axeViolations(page)).toEqual([])

    await first.getByRole('button', { name: 'Dismiss' }).press('Enter')
    await first.waitFor({ state: 'detached' })
    await page.locator(':focus').and(field(page)).waitFor()
    expect(await notices.count()).toBe(1)

    // What the other person sees is sent after the notices.
    await say(page, 'Thank you')
    await sent(other, 'Thank you').waitFor()
    expect(await other.getByText('Only you can see this').count()).toBe(0)
    await page.reload()
    await sent(page, 'Thank you').waitFor()
    expect(await page.getByText('Only you can see this').count()).toBe(0)
  })

  test('replace each other by their id, wait in their room, and fit on a phone', async () => {
    const { owner, at, reader, visit, room, show } = await noticesFixture()
    const page = await visit(open, reader, { viewport: PHONE })
    const noticeId = newId()
    const { id: roomId } = expectOk(await owner.post<{ id: string }>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    await show('In another room', { roomId })
    await show('Deploying…', { noticeId })
    const notices = page.getByRole('region', { name: 'Shown only to you' }).getByRole('article')
    await notices.filter({ hasText: 'Deploying…' }).waitFor()
    await show('Deployed', { noticeId })
    await notices.filter({ hasText: 'Deployed' }).waitFor()
    expect(await notices.count()).toBe(1)
    // Several announcements at once are only counted.
    const announced = async (): Promise<string> => {
      await show('Deployed', { noticeId })
      return page.getByRole('log').innerText()
    }
    await expect.poll(announced, { interval: 2500, timeout: 60_000 }).toMatch(/^Only to you, .*: Deployed$/)
    const { x = 0, width = 0 } = (await notices.boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(PHONE.width)
    expect(await axeViolations(page)).toEqual([])

    await follow(page, `/c/${room.channelId}/${roomId}`)
    await notices.filter({ hasText: 'In another room' }).waitFor()
    expect(await notices.count()).toBe(1)
  })
})
