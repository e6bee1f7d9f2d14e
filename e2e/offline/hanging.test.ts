import type { Message } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { row, say, sent, textsOf } from '../chat/chat-visit.ts'
import { OFFLINE_COPY, openAnew, readBoth, twoRooms } from './offline-visit.ts'
import { startProxy } from './portal-proxy.ts'

describeInBrowser('the portal on a connection that hangs', ({ open }) => {
  test('opens with the last rooms read, sends what is written once the server answers, and loads other pages then', async () => {
    const fixture = await twoRooms()
    const { owner, room, plans, people, write } = fixture
    const proxy = await startProxy(fixture.server.url)
    const before = await readBoth(open, { ...fixture, server: { ...fixture.server, url: proxy.url } })
    proxy.hang()
    const page = await openAnew(before, proxy.url)
    await row(page, 'said in plans').waitFor()
    await page.getByText(OFFLINE_COPY).waitFor()
    await page.getByRole('link', { name: /^workshop/ }).click()
    await row(page, 'said in the workshop').waitFor()
    await page.getByRole('link', { name: /^plans/ }).click()
    await row(page, 'said in plans').waitFor()
    await say(page, 'written in a tunnel')
    await row(page, 'written in a tunnel').waitFor()

    proxy.resume()
    await sent(page, 'written in a tunnel').waitFor()
    await page.getByText(OFFLINE_COPY).waitFor({ state: 'detached' })
    await write(plans.id, 'live again')
    await row(page, 'live again').waitFor()
    // The list is hidden for a moment when it is loaded again.
    await expect.poll(() => textsOf(page)).toEqual(['said in plans', 'written in a tunnel', 'live again'])
    const at = `/rooms/${plans.id}/messages?channelId=${room.channelId}`
    const { messages } = expectOk(await people[0].get<{ messages: Message[] }>(at))
    expect(messages).toHaveLength(3)

    proxy.hang()
    const settings = await openAnew(page, `${proxy.url}/settings/sessions`)
    await settings.getByRole('button', { name: owner.name }).first().waitFor()
    await settings.getByRole('main').getByRole('heading', { name: 'No connection' }).waitFor()
    proxy.resume()
    await settings.getByRole('main').getByText('This device').waitFor()
  })
})
