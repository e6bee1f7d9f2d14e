import type { Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '../server/test/person.ts'
import { done, portal, world } from '../server/test/world.ts'
import { describeInBrowser, type Visit, type Visitor } from './browser.ts'
import { Livekit, livekitProgram } from './livekit.ts'
import { DESKTOP, signedOut, signIn } from './portal-visit.ts'

const EQUIPMENT = { devices: true, missing: livekitProgram === undefined } as const
let livekit: Livekit

if (livekitProgram !== undefined) {
  beforeAll(async () => {
    livekit = await Livekit.start()
    await portal(livekit.settings)
  })
  afterAll(() => livekit.end())
}

/** A channel whose owner and one other person look at a room. */
async function twoAt(open: Visitor['open'], type: 'voice' | 'stream', more: Visit = {}) {
  const { server, owner, people, at, channel } = await world({ people: 1 })
  const [ada] = people
  const room = done(await owner.post<Room>(`${at}/rooms`, { name: 'stand-up', type }))
  const enter = async (person: Person): Promise<Page> => {
    const visit = { ...signedOut, viewport: DESKTOP, alsoHosts: [livekit.host], ...more }
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, visit)
    await signIn(page, person)
    await page.getByRole('heading', { level: 1, name: 'stand-up' }).waitFor()
    return page
  }
  return { owner, ada, at, channel, room, enter, his: await enter(owner), hers: await enter(ada) }
}

const bar = (page: Page) => page.getByRole('region', { name: 'Voice', exact: true })
const isConnected = (page: Page) => bar(page).getByText('Voice connected').waitFor()
const controls = (page: Page) => page.getByRole('main').getByRole('group', { name: 'Microphone and sound' })
const tile = (page: Page, { name }: Person) => page.getByRole('main').getByRole('listitem').filter({ hasText: name })

async function join(...pages: Page[]): Promise<void> {
  for (const page of pages) await page.getByRole('button', { name: 'Join', exact: true }).click()
  for (const page of pages) await isConnected(page)
}

/** Waits until something is heard of the others: not silence that is played, but sound. */
async function hears(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const element = [...document.querySelectorAll('audio')].find(({ muted, srcObject }) => !muted && srcObject)
    if (!(element?.srcObject instanceof MediaStream)) return false
    const context = new AudioContext()
    const analyser = new AnalyserNode(context)
    context.createMediaStreamSource(element.srcObject).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    return new Promise<boolean>((resolve) => {
      let looks = 0
      const look = (): void => {
        analyser.getFloatTimeDomainData(samples)
        const loud = samples.some((sample) => Math.abs(sample) > 0.01)
        if (!loud && (looks += 1) < 200) return void setTimeout(look, 10)
        void context.close()
        resolve(loud)
      }
      look()
    })
  })
}

describeInBrowser(
  'a voice room with a media server',
  ({ open }) => {
    test('silences and brings back whom a moderator mutes, at once', async () => {
      const { owner, ada, his, hers, at } = await twoAt(open, 'voice')
      await join(his, hers)
      await hears(his)
      done(await owner.put(`${at}/members/${ada.id}/voice-mute`, {}))
      await hers.getByText('You can listen here, but not talk.').waitFor()
      await controls(hers).getByRole('button', { name: 'Mute microphone' }).waitFor({ state: 'detached' })
      await tile(his, ada).getByText('microphone off').waitFor({ state: 'attached' })
      await hears(hers)
      done(await owner.delete(`${at}/members/${ada.id}/voice-mute`))
      await controls(hers).getByRole('button', { name: 'Mute microphone', exact: true }).waitFor()
      await tile(his, ada).getByText('microphone off').waitFor({ state: 'detached' })
      await hears(his)
    })

    test('carries along whom a moderator moves, muted as they were, and lets go of whom they take out', async () => {
      const { owner, ada, his, hers, at } = await twoAt(open, 'voice')
      const lounge = done(await owner.post<Room>(`${at}/rooms`, { name: 'lounge', type: 'voice' }))
      await join(his, hers)
      await controls(hers).getByRole('button', { name: 'Mute microphone' }).click()
      await tile(his, ada).getByText('microphone off').waitFor({ state: 'attached' })
      done(await owner.put(`${at}/members/${ada.id}/room`, { roomId: lounge.id }))
      await bar(hers).getByText('lounge').waitFor()
      await isConnected(hers)
      await bar(hers).getByRole('button', { name: 'Unmute microphone' }).click()
      await his
        .getByRole('navigation', { name: 'Rooms' })
        .getByRole('link', { name: /^lounge/ })
        .click()
      await his.getByRole('heading', { level: 1, name: 'lounge' }).waitFor()
      await join(his)
      await Promise.all([hears(his), hears(hers)])

      done(await owner.delete(`${at}/members/${ada.id}/voice`))
      await hers.getByText('You are no longer in lounge.').waitFor()
      await bar(hers).waitFor({ state: 'detached' })
      await tile(his, ada).waitFor({ state: 'detached' })
    })

    test('is left with the channel', async () => {
      // What it asks of a channel before it hears that it is out of it may be refused.
      const excuses = [/status of 403 .*\/portal\/v1\/channels\//]
      const { owner, ada, his, hers, at } = await twoAt(open, 'voice', { excuses })
      await join(his, hers)
      done(await owner.delete(`${at}/members/${ada.id}`))
      await bar(hers).waitFor({ state: 'detached' })
      await tile(his, ada).waitFor({ state: 'detached' })
    })

    test('is heard in one window: another one takes over', async () => {
      const { ada, his, hers, enter } = await twoAt(open, 'voice')
      await join(his, hers)
      const second = await enter(ada)
      // A notice does not stay: it is waited for from before it comes.
      const notice = hers.getByText('You joined from another window or device').waitFor()
      await second.getByRole('button', { name: 'Join here' }).click()
      await Promise.all([notice, isConnected(second)])
      await bar(hers).waitFor({ state: 'detached' })
      await Promise.all([hears(his), hears(second)])
    })
  },
  EQUIPMENT,
)

describeInBrowser(
  'a stream room with a media server',
  ({ open }) => {
    test('shows camera and screen of whoever broadcasts to those who watch', async () => {
      const { owner, his, hers } = await twoAt(open, 'stream')
      for (const page of [his, hers]) await page.getByRole('button', { name: 'Watch' }).click()
      for (const page of [his, hers]) await isConnected(page)
      await hers.getByText('You are watching.').waitFor()
      expect(await hers.getByRole('button', { name: 'Turn camera on' }).count()).toBe(0)

      await his.getByRole('button', { name: 'Turn camera on' }).click()
      await seesPicture(hers, `Camera of ${owner.name}`)
      await his.getByRole('button', { name: 'Share screen' }).click()
      await seesPicture(hers, `Screen of ${owner.name}`)
      await seesPicture(hers, `Camera of ${owner.name}`)
      await his.getByRole('button', { name: 'Stop sharing' }).click()
      await hers.getByLabel(`Screen of ${owner.name}`).waitFor({ state: 'detached' })
      await controls(his).getByRole('button', { name: 'Unmute microphone' }).click()
      await hears(hers)
      await his.getByRole('button', { name: 'Turn camera off' }).click()
      await hers.getByText('Nobody is broadcasting yet').waitFor()
    })
  },
  EQUIPMENT,
)

/** Waits until a picture has come, and not only a place for it. */
async function seesPicture(page: Page, name: string): Promise<void> {
  const video = page.getByLabel(name)
  await video.waitFor()
  await expect.poll(() => video.evaluate(({ videoWidth }: HTMLVideoElement) => videoWidth)).toBeGreaterThan(0)
}
