import type { Invitation } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, channelFixture, newPortal } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { act, openRoom, row, say, sent, signedIn } from './chat-visit.ts'
import { DESKTOP, newMessage } from '../portal-visit.ts'

describeInBrowser('a reaction', ({ open }) => {
  test('can still be picked when its message was deleted meanwhile, and is refused', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const { channelId } = room
    const inRoom = `/rooms/${room.id}/messages`
    const { id } = expectOk(await owner.post<{ id: string }>(inRoom, { channelId, text: 'a question' }))
    expectOk(await owner.post(`${inRoom}/${id}/reactions`, { channelId, emoji: '🎉' }))
    const visit = { viewport: DESKTOP, provokes: [/status of 422/] }
    const page = await openRoom(open, { url: server.url, room }, people[0], visit)
    const warnings: string[] = []
    page.on('console', (message) => message.text().includes('svelte.dev') && warnings.push(message.text()))
    const reactions = row(page, 'a question').getByRole('list', { name: 'Reactions' })
    await reactions.getByRole('button', { name: 'Add a reaction' }).click()
    const picker = page.getByRole('dialog', { name: 'Pick an emoji' })
    await picker.getByRole('gridcell').first().waitFor()
    expectOk(await owner.delete(`${inRoom}/${id}`, { channelId }))
    await row(page, 'a question').waitFor({ state: 'detached' })
    await picker.getByRole('gridcell').first().click()
    await page.getByRole('status').getByRole('button', { name: 'Close' }).waitFor()
    expect(warnings).toEqual([])
  })
})

describeInBrowser('a reply', ({ open }) => {
  test('says that its target was deleted meanwhile, and is sent without it', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    const { id } = expectOk(
      await owner.post<{ id: string }>(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'a question' }),
    )
    const page = await openRoom(open, { url: server.url, room }, people[0], { viewport: DESKTOP })
    await act(page, 'a question', 'Reply')
    const composer = page.locator('[data-landmark="composer"]')
    await composer.getByText(`Replying to ${owner.name}`).waitFor()
    await newMessage(page).fill('an answer')
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: channel.id }))
    await composer.getByText('The message you’re replying to was deleted.').waitFor()
    expect(await newMessage(page).inputValue()).toBe('an answer')
    expect(await axeViolations(page)).toEqual([])
    await newMessage(page).press('Enter')
    await sent(page, 'an answer').waitFor()
    await expect.poll(() => composer.getByText('was deleted').count()).toBe(0)
  })

  test('that is refused because its target is gone can be sent again without it', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    const { id } = expectOk(
      await owner.post<{ id: string }>(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'a question' }),
    )
    const page = await openRoom(open, { url: server.url, room }, people[0], {
      viewport: DESKTOP,
      provokes: [/status of 422/],
    })
    await act(page, 'a question', 'Reply')
    // The message is deleted while this page's own is on its way.
    let first = true
    await page.route('**/messages', async (route) => {
      if (!first) return route.continue()
      first = false
      expectOk(await owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: channel.id }))
      await route.continue()
    })
    await say(page, 'an answer')
    const answer = row(page, 'an answer')
    await answer.getByText('The message you replied to was deleted.').waitFor()
    await answer.getByRole('button', { name: 'Retry' }).click()
    await sent(page, 'an answer').waitFor()
    await expect.poll(() => answer.getByText('was deleted').count()).toBe(0)
  })
})

describeInBrowser('dates and times', ({ open }) => {
  test.each([
    ['en-US', /^\d{1,2}:\d\d [AP]M$/, /^[A-Z][a-z]+day, [A-Z][a-z]+ \d+, \d{4}$/],
    ['en-GB', /^\d\d:\d\d$/, /^[A-Z][a-z]+day,? \d+ [A-Z][a-z]+ \d{4}$/],
  ])('are written as in the country of the browser: %s', async (locale, time, day) => {
    const { server, owner, channel, room } = await channelFixture()
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'now' }))
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP, locale })
    const written = await row(page, 'now').locator('time').first().innerText()
    expect(written.replaceAll(/\s/g, ' ')).toMatch(time)
    expect(await page.locator('p.day').innerText()).toMatch(day)
    // Next to a message in a group, the time must not overlap the text.
    await say(page, 'and then')
    await sent(page, 'and then').hover()
    const gutter = await row(page, 'and then').locator('time').boundingBox()
    const text = await row(page, 'and then').getByText('and then').boundingBox()
    expect((gutter?.x ?? 0) + (gutter?.width ?? 0)).toBeLessThanOrEqual(text?.x ?? 0)
    expect(gutter?.height).toBeLessThan(30)
  })
})

describeInBrowser('links of a portal that only its own machine can open', ({ open }) => {
  test('say what to do, on the page of invitations and on Health', async () => {
    const { server, administrator } = await newPortal({ PUBLIC_URL: 'http://localhost:3000' })
    const { owner, at } = await channelFixture({ portal: { server, administrator } })
    expectOk(await owner.post<Invitation>(`${at}/invitations`, {}))
    const page = await open(`${server.url}${at.replace('/channels/', '/c/')}/settings/invitations`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
    })
    const advice = /HTTPS_PORT=auto .*PUBLIC_URL/
    await page
      .getByText('These links only open on the computer that runs the portal.')
      .filter({ hasText: advice })
      .waitFor()
    expect(await axeViolations(page)).toEqual([])

    const health = await open(`${server.url}/administration/health`, {
      ...signedIn(server.url, administrator),
      viewport: DESKTOP,
    })
    await health.getByText('invitation links don’t work on other devices').filter({ hasText: advice }).waitFor()
    await health.getByText('Uptime').waitFor()
  })
})
