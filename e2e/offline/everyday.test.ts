import type { OwnChannel, Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { storedTexts } from './offline-visit.ts'
import { DESKTOP, everyday, focused, furnish, newMessage, switcherField } from '../portal-visit.ts'

/** A browser with windows, a service worker and motion, and a person in several channels, of which one was read. */
describeInBrowser(
  'the portal as people have it',
  ({ open }) => {
    test.for([2, 6])('shows the rooms of %i channels in the switcher, and requests each list once', async (count) => {
      const { server, owner, at } = await channelFixture({ people: 1 })
      await furnish({ owner, at })
      const rooms = await Promise.all(Array.from({ length: count - 1 }, (_, index) => anotherChannel(owner, index)))
      const page = await open(server.url, { ...signedIn(server.url, owner), ...everyday, viewport: DESKTOP })
      await newMessage(page).waitFor()
      await copyKept(page)

      const requested: string[] = []
      page.on('request', (request) => {
        if (/\/channels\/[^/]+\/rooms$/.test(request.url())) requested.push(request.url())
      })
      await page.keyboard.press('Control+k')
      await focused(page, switcherField(page))
      for (const { name } of rooms) await page.getByRole('option', { name }).waitFor()
      expect(requested.toSorted()).toEqual([...new Set(requested)].toSorted())
      await page.keyboard.type('harbor 0')
      await page.getByRole('option', { name: 'harbor 0', selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'harbor 0' }).waitFor()
    })
  },
  { windows: true },
)

type Writer = Awaited<ReturnType<typeof channelFixture>>['owner']

async function anotherChannel(owner: Writer, index: number): Promise<Room> {
  const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: `Coast ${index}` }))
  return expectOk(await owner.post<Room>(`/channels/${channel.id}/rooms`, { name: `harbor ${index}`, type: 'text' }))
}

/** Waits until this browser keeps a copy of what was read: the last thing that a page starts. */
async function copyKept(page: Page): Promise<void> {
  await expect.poll(async () => Object.keys(await storedTexts(page))).not.toEqual([])
}
