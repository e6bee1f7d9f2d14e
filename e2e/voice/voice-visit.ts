import type { Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from '../../server/test/person.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import type { Visit } from '../browser.ts'
import type { MediaVisitor } from './media-under-test.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { describePeerConnections } from '../peer-connections.ts'
import { DESKTOP } from '../portal-visit.ts'

/** A channel with a room that its owner and one other person can enter. */
export async function roomFor({ open, media }: MediaVisitor, type: 'voice' | 'stream', more: Visit = {}) {
  const { server, owner, people, at, channel } = await channelFixture({ people: 1, portal: media.portal })
  const [ada] = people
  const room = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'stand-up', type }))
  const url = `${server.url}/c/${channel.id}/${room.id}`
  const enter = async (person: Person): Promise<Page> => {
    const visit = { ...signedIn(url, person), viewport: DESKTOP, alsoHosts: [media.host], ...more }
    const page = await open(url, visit)
    await page.getByRole('heading', { level: 1, name: 'stand-up' }).waitFor()
    return page
  }
  return { owner, ada, at, channel, room, url, enter }
}

/** A channel whose owner and one other person have a room open. */
export async function twoAt(visitor: MediaVisitor, type: 'voice' | 'stream', more: Visit = {}) {
  const place = await roomFor(visitor, type, more)
  const { enter, owner, ada } = place
  return { ...place, his: await enter(owner), hers: await enter(ada) }
}

export const bar = (page: Page) => page.getByRole('region', { name: 'Voice', exact: true })
export const isConnected = (page: Page) => bar(page).getByText('Voice connected').waitFor()
export const controls = (page: Page) => page.getByRole('main').getByRole('group', { name: 'Microphone and sound' })
export const tile = (page: Page, { name }: Person) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: name })

export async function join(...pages: Page[]): Promise<void> {
  for (const page of pages) await page.getByRole('button', { name: 'Join', exact: true }).click()
  for (const page of pages) await isConnected(page)
}

/** As long as for whole visits: on a busy machine only a hang may time out. */
const HEARD_WITHIN = 120_000

/** Waits until there is audible sound from others, not played silence. */
export async function hears(page: Page): Promise<void> {
  try {
    await expect.poll(() => page.evaluate(isLoudWithin, 2000), { timeout: HEARD_WITHIN }).toBe(true)
  } catch (error) {
    const [text, connections] = [await page.locator('body').innerText(), await describePeerConnections(page)]
    throw new Error(`Nobody is heard on this page:\n${text}\n${connections}`, { cause: error })
  }
}

/** Waits until others have been silent for a while. */
export async function hearsNothing(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(isLoudWithin, 1000)).toBe(false)
}

/** Runs in the page: whether others are audible at some moment of this time. */
function isLoudWithin(milliseconds: number): boolean | Promise<boolean> {
  const streams = [...document.querySelectorAll('audio')].flatMap(({ muted, srcObject }) => {
    return !muted && srcObject instanceof MediaStream && srcObject.getAudioTracks().length > 0 ? [srcObject] : []
  })
  if (streams.length === 0) return false
  const context = new AudioContext()
  const analyser = new AnalyserNode(context)
  for (const stream of streams) context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const end = performance.now() + milliseconds
  return new Promise<boolean>((resolve) => {
    const look = (): void => {
      analyser.getFloatTimeDomainData(samples)
      const loud = samples.some((sample) => Math.abs(sample) > 0.01)
      if (!loud && performance.now() < end) return void setTimeout(look, 10)
      void context.close()
      resolve(loud)
    }
    look()
  })
}

/** Waits until the video has frames. */
export async function seesPicture(page: Page, name: string): Promise<void> {
  const video = page.getByLabel(name)
  await video.waitFor()
  await expect.poll(() => video.evaluate(({ videoWidth }: HTMLVideoElement) => videoWidth)).toBeGreaterThan(0)
}
