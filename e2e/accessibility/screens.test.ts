import type { OwnChannel } from '@portico/contract'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk, portal, type ChannelFixture } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { row, signedIn } from '../chat/chat-visit.ts'
import { choose, entry, loaded, pictureFile, textFile, upload } from '../chat/files-visit.ts'
import { DESKTOP, follow, PHONE } from '../portal-visit.ts'

/** The dark theme has the same colors at every width, but for backdrops. */
const VISITS: Readonly<Record<string, BrowserContextOptions & { readonly lightOnly: boolean }>> = {
  'on a desktop': { viewport: DESKTOP, lightOnly: false },
  'on a phone': { viewport: PHONE, hasTouch: true, isMobile: true, lightOnly: true },
  'at 200 %': { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, lightOnly: true },
}

interface Place extends ChannelFixture<2, 0> {
  readonly administrator: Person
  /** A channel with nothing in it. */
  readonly fresh: OwnChannel
}

interface Screen {
  readonly name: string
  readonly path: (place: Place) => string
  /** What has to be done on the page, until the screen is complete. */
  readonly show: (page: Page, place: Place) => Promise<unknown>
}

const room = ({ channel, room: { id } }: Place): string => `/c/${channel.id}/${id}`

type Screens = readonly [Screen, ...Screen[]]

const OF_OWNER: Screens = [
  {
    name: 'checklist of a channel',
    path: ({ fresh }) => `/c/${fresh.id}`,
    show: async (page) => {
      await openDrawer(page)
      await page.getByRole('region', { name: 'Set up this channel' }).waitFor()
    },
  },
  {
    name: 'notifications of a room',
    path: room,
    show: async (page) => {
      await openDrawer(page)
      await page.getByRole('link', { name: /^workshop/ }).click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Notifications…', exact: true }).click()
      await page.getByRole('dialog', { name: 'Notifications: workshop' }).getByRole('combobox').first().waitFor()
    },
  },
  {
    name: 'lightbox',
    path: room,
    show: async (page) => {
      await row(page, 'Two pictures').getByRole('button', { name: 'Open picture: first.png', exact: true }).click()
      await loaded(page.getByRole('dialog', { name: 'Pictures' }).getByRole('img', { name: 'first.png' }), 1)
    },
  },
  {
    name: 'files tray',
    path: room,
    show: async (page) => {
      await choose(page, [await pictureFile('cat.png'), textFile('plan.txt')])
      await entry(page, 'cat.png').getByRole('button', { name: 'Remove cat.png', exact: true }).waitFor()
      await entry(page, 'plan.txt').getByRole('button', { name: 'Remove plan.txt', exact: true }).waitFor()
    },
  },
  {
    name: 'room dialog',
    path: ({ channel }) => `/c/${channel.id}/settings/rooms`,
    show: async (page) => {
      await page.getByRole('button', { name: 'Edit workshop', exact: true }).click()
      await page.getByRole('dialog', { name: 'Edit workshop' }).getByLabel('Room name', { exact: true }).waitFor()
    },
  },
  {
    name: 'ban until a date',
    path: ({ channel }) => `/c/${channel.id}/settings/members`,
    show: async (page, { people }) => {
      await page.getByRole('button', { name: `Manage ${people[1].name}`, exact: true }).click()
      const dialog = page.getByRole('dialog', { name: people[1].name })
      await dialog.getByRole('button', { name: 'Ban from channel' }).click()
      await dialog.getByLabel('Duration').selectOption('date')
      await dialog.getByText(/^Until \d/).waitFor()
    },
  },
  {
    name: 'bans',
    path: ({ channel }) => `/c/${channel.id}/settings/bans`,
    show: (page) => page.getByRole('list', { name: 'Bans' }).getByText('Advertising').waitFor(),
  },
  {
    name: 'notification settings',
    path: () => '/settings/notifications',
    show: async (page) => {
      await page.getByRole('switch', { name: 'Do not disturb' }).check()
      await page.getByLabel('From', { exact: true }).waitFor()
    },
  },
]

const OF_ADMINISTRATOR: Screens = [
  {
    name: 'checklist of the portal',
    path: () => '/',
    show: async (page) => {
      await openDrawer(page)
      await page.getByRole('region', { name: 'Set up your portal' }).first().waitFor()
    },
  },
  {
    name: 'reset link',
    path: ({ people }) => `/administration/people?search=${encodeURIComponent(people[1].name)}`,
    show: async (page, { people }) => {
      await page.getByRole('button', { name: `Manage ${people[1].name}`, exact: true }).click()
      const dialog = page.getByRole('dialog', { name: people[1].name })
      await dialog.getByRole('button', { name: 'Create reset link' }).click()
      await dialog.getByRole('textbox', { name: 'Reset link' }).waitFor()
    },
  },
]

const OF_BANNED: Screens = [
  {
    name: 'removal notice',
    path: room,
    show: (page) => page.getByRole('heading', { level: 2, name: 'You’re banned from Ateliers', exact: true }).waitFor(),
  },
]

/** On narrow screens the rooms are in a drawer. */
async function openDrawer(page: Page): Promise<void> {
  await page.getByRole('main').waitFor()
  const opener = page.getByRole('button', { name: 'Open menu' })
  if ((page.viewportSize()?.width ?? 0) <= 720) await opener.click()
}

async function furnished(): Promise<Place> {
  const here = await channelFixture({ people: 2 })
  const { administrator } = await portal()
  const { owner, people, room: textRoom, at } = here
  const files = [await pictureFile('first.png', { width: 1600, height: 900 }), await pictureFile('second.png')]
  const markdown = await Promise.all(files.map(async (file) => (await upload(owner, textRoom.id, file)).markdown))
  const message = { channelId: textRoom.channelId, text: `Two pictures\n\n${markdown.join('\n')}` }
  expectOk(await people[0].post(`/rooms/${textRoom.id}/messages`, message))
  expectOk(await owner.put(`${at}/members/${people[0].id}/ban`, { durationSec: 86_400, reason: 'Advertising' }))
  const fresh = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Observers' }))
  return { ...here, administrator, fresh }
}

describeInBrowser('screens have no axe violations', ({ open }) => {
  for (const [where, { lightOnly, ...visit }] of Object.entries(VISITS)) {
    test(where, async () => {
      const place = await furnished()
      const { url } = place.server
      const found: Record<string, string[]> = {}
      for (const [person, screens] of [
        [place.owner, OF_OWNER],
        [place.administrator, OF_ADMINISTRATOR],
        [place.people[0], OF_BANNED],
      ] as const) {
        const [{ path: start }] = screens
        const excuses = [/status of 40[34]/]
        const page = await open(url + start(place), { ...signedIn(url, person), ...visit, excuses })
        for (const { name, path, show } of screens) {
          await page.getByRole('main').waitFor()
          // A dialog of the screen before.
          await page.keyboard.press('Escape')
          await follow(page, path(place))
          await show(page, place)
          found[name] = await axeViolations(page, { lightOnly })
        }
        await page.context().close()
      }
      expect(Object.entries(found).filter(([, violations]) => violations.length > 0)).toEqual([])
    })
  }
})
