import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { channelFixture, newPortal } from '../../server/test/channel-fixture.ts'
import { MediaServer } from '../../server/test/media-server.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { describeWithMedia } from './media-under-test.ts'
import { DESKTOP, PHONE } from '../portal-visit.ts'
import { hears, isConnected, roomFor, twoAt } from './voice-visit.ts'
import { buildWhipClient, go, WhipProgram } from './whip-program.ts'
import { broadcastFrom, openForeignPage, seesMovement } from './whip-page.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Go live' })
const roomLink = (page: Page) =>
  page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: /^stand-up/ })

/** Opens what “Go live” says about OBS. */
async function openPrograms(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Go live' }).click()
  await dialog(page).getByRole('radio', { name: 'OBS' }).check({ force: true })
}

const shownKey = (page: Page) => dialog(page).getByRole('textbox', { name: 'Stream key' }).inputValue()

/** Makes a stream key in the portal. */
async function newKey(page: Page): Promise<{ url: string; key: string }> {
  await openPrograms(page)
  await dialog(page).getByRole('button', { name: 'Create stream key' }).click()
  return { key: await shownKey(page), url: await dialog(page).getByRole('textbox', { name: 'Server' }).inputValue() }
}

async function watch(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Watch' }).click()
  await isConnected(page)
}

describeWithMedia(
  'a broadcast from a program',
  (visitor) => {
    test('reaches viewers from a page of another site, until its key is re-issued or revoked', async () => {
      const { owner, his, hers } = await twoAt(visitor, 'stream')
      const { key, url } = await newKey(his)
      expect(url).toBe(`http://${visitor.media.host}/whip/v1`)
      await dialog(his).getByText('it’s shown only once').waitFor()
      expect(await axeViolations(his)).toEqual([])
      await watch(hers)
      const program = await openForeignPage(visitor, { provokes: [/status of 401/] })
      const picture = `${owner.name}’s broadcast`
      expect(await broadcastFrom(program, url, key)).toEqual([
        'audio/opus',
        expect.stringMatching(/^video\/(H264|VP8)$/),
      ])
      await seesMovement(hers, picture)
      await hears(hers)
      await roomLink(hers).getByText('Live').waitFor()
      await hers.getByText('1 viewer', { exact: true }).waitFor({ state: 'attached' })

      await dialog(his).getByRole('button', { name: 'Re-issue key' }).click()
      const question = his.getByRole('dialog', { name: 'Re-issue your stream key?' })
      await question.getByRole('button', { name: 'Re-issue key' }).click()
      await hers.getByText('Nobody is broadcasting yet').waitFor()
      await roomLink(hers).getByText('Live').waitFor({ state: 'detached' })
      await question.waitFor({ state: 'detached' })
      const next = await shownKey(his)
      expect(next).not.toBe(key)
      expect(await broadcastFrom(program, url, key)).toBe(401)
      await broadcastFrom(program, url, next)
      await seesMovement(hers, picture)

      await dialog(his).getByRole('button', { name: 'Revoke key' }).click()
      const revoking = his.getByRole('dialog', { name: 'Revoke your stream key?' })
      await revoking.getByRole('button', { name: 'Revoke key' }).click()
      await hers.getByText('Nobody is broadcasting yet').waitFor()
      await dialog(his).getByRole('button', { name: 'Create stream key' }).waitFor()
    })

    test('is set up on a phone with a key that is not shown again', async () => {
      const { enter, owner } = await roomFor(visitor, 'stream', { viewport: PHONE, colorScheme: 'dark' })
      const his = await enter(owner)
      const { key } = await newKey(his)
      expect(await axeViolations(his)).toEqual([])
      await dialog(his).getByRole('button', { name: 'Close' }).last().click()
      await openPrograms(his)
      await dialog(his)
        .getByText(`${key.slice(0, 19)}…`)
        .waitFor()
      await expect.poll(() => dialog(his).textContent()).not.toContain(key)
    })
  },
  { only: 'embedded' },
)

describeWithMedia(
  'a broadcast of H.264 and Opus',
  (visitor) => {
    let program = ''
    beforeAll(async () => {
      if (go !== undefined) program = await buildWhipClient()
    }, 600_000)

    test.skipIf(go === undefined)('is seen and heard, goes on after a crash, and ends with the program', async () => {
      const { owner, his, hers } = await twoAt(visitor, 'stream')
      const { key, url } = await newKey(his)
      await his.close()
      await watch(hers)
      const broadcast = new WhipProgram(program, url, key)
      const picture = `${owner.name}’s broadcast`
      await seesMovement(hers, picture)
      await hears(hers)
      await roomLink(hers).getByText('Live').waitFor()
      // A viewer who joins later gets a picture too.
      await hers.reload()
      await watch(hers)
      await seesMovement(hers, picture)
      expect(await broadcast.stop()).toBe(0)
      await hers.getByText('Nobody is broadcasting yet').waitFor()

      const first = new WhipProgram(program, url, key)
      await seesMovement(hers, picture)
      await first.crash()
      const second = new WhipProgram(program, url, key)
      await seesMovement(hers, picture)
      await second.crash()
      await hers.getByText('Nobody is broadcasting yet').waitFor()
      await roomLink(hers).getByText('Live').waitFor({ state: 'detached' })
    })
  },
  { only: 'embedded' },
)

describeInBrowser(
  '“Go live” with an external LiveKit server',
  ({ open }) => {
    test('explains why programs can’t broadcast through the portal', async () => {
      const { settings } = await MediaServer.start()
      const portal = await newPortal(settings)
      const { server, owner, room, channel } = await channelFixture({ room: 'stream', portal })
      const url = `${server.url}/c/${channel.id}/${room.id}`
      const page = await open(url, { ...signedIn(url, owner), viewport: DESKTOP })
      await openPrograms(page)
      await dialog(page).getByText('so programs can’t broadcast through the portal').waitFor()
      await expect.poll(() => dialog(page).getByRole('button', { name: 'Create stream key' }).count()).toBe(0)
      expect(await axeViolations(page)).toEqual([])
    })
  },
  { devices: true },
)
