import type { Worker } from 'node:worker_threads'
import { DisconnectReason, LeaveRequest_Action as LeaveAction } from '@livekit/protocol'
import type { OwnChannel, Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { leave } from '../../media/src/room/room.ts'
import { readMessage, writeMessage } from '../../media/src/signal/codec.ts'
import { expectOk } from '../../server/test/channel-fixture.ts'
import { dataFolder } from '../../server/test/data-folder.ts'
import { testDatabase } from '../../server/test/database.ts'
import { freePort } from '../../server/test/free-port.ts'
import { Person } from '../../server/test/person.ts'
import { startPortico } from '../../server/test/portico-process.ts'
import { MEDIA_ON } from '../../server/test/start-server.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { describeWithMedia, type MediaVisitor } from './media-under-test.ts'
import { DESKTOP, SENT_TOO_LATE } from '../portal-visit.ts'
import { bar, controls, hears, isConnected, join, tile, twoAt } from './voice-visit.ts'

/** The errors that a page logs while its connections are cut. */
const CUT = [/\/rtc[/?]/, /ConnectionError/, /data ?channel/i, /signal/i, SENT_TOO_LATE]

/** What makes a client connect from scratch. */
const RECONNECT = writeMessage(leave(DisconnectReason.STATE_MISMATCH, LeaveAction.RECONNECT))

/** The media workers that this process has started, the newest last. */
const workers: Worker[] = []
const collect = (worker: Worker): void => void workers.push(worker)
process.on('worker', collect)
afterAll(() => void process.off('worker', collect))

describeWithMedia(
  'a voice room',
  (visitor) => {
    test('goes on while its signaling is broken, and comes back without a click after the media worker has crashed', async () => {
      const { owner, ada, his, hers } = await twoAt(visitor, 'voice', { excuses: CUT })
      await join(his, hers)
      await bothHear(visitor, his, hers)
      // It resumes without publishing again.
      await mark(his)
      visitor.media.portal.server.services.embeddedMedia?.closeSockets()
      await hears(his)
      await controls(hers).getByRole('button', { name: 'Mute microphone', exact: true }).click()
      await tile(his, ada).getByText('microphone off').waitFor({ state: 'attached' })
      await controls(hers).getByRole('button', { name: 'Unmute microphone' }).click()
      await tile(his, ada).getByText('microphone off').waitFor({ state: 'detached' })
      await hears(his)
      expect(await isMarked(his)).toBe(true)

      await Promise.all([noteReconnecting(his), noteReconnecting(hers)])
      const crashed = workers.at(-1)
      await crashed?.terminate()
      await Promise.all([wasReconnecting(his), wasReconnecting(hers)])
      await Promise.all([isConnected(his), isConnected(hers)])
      expect(workers.at(-1)).not.toBe(crashed)
      await bothHear(visitor, his, hers)
      await tile(his, ada).waitFor()
      await tile(hers, owner).waitFor()
    })

    test('plays someone whose microphone is published while this page completes its reconnection', async () => {
      const { his, hers } = await twoAt(visitor, 'voice', { excuses: CUT })
      let reconnect = (): void => undefined
      await his.routeWebSocket(/\/rtc\?/, (socket) => {
        socket.connectToServer()
        reconnect = () => socket.send(Buffer.from(RECONNECT))
      })
      await delayMicrophone(hers, () => new Promise((resolve) => addEventListener('speak', () => resolve())))
      await join(his, hers)
      await noteReconnecting(his)
      // The client library shows a connection before it has completed it, if capturing takes longer than connecting.
      await delayMicrophone(his, () => new Promise((resolve) => setTimeout(resolve, 700)))
      reconnect()
      await wasReconnecting(his)
      await isConnected(his)
      await hers.evaluate(() => void dispatchEvent(new Event('speak')))
      await hears(his)
    })

    test('comes back without a click when nothing arrives of someone who speaks', async () => {
      const { his, hers } = await twoAt(visitor, 'voice', { excuses: CUT })
      /** The media server sends a track only once its offer is answered. */
      let loseAnswers = (): void => undefined
      await his.routeWebSocket(/\/rtc\?/, (socket) => {
        const server = socket.connectToServer()
        let isLossy = false
        loseAnswers = () => (isLossy = true)
        socket.onMessage((message) => {
          if (!isLossy || readMessage(Buffer.from(message))?.case !== 'answer') server.send(message)
        })
      })
      await delayMicrophone(hers, () => new Promise((resolve) => addEventListener('speak', () => resolve())))
      await join(his, hers)
      loseAnswers()
      await hers.evaluate(() => void dispatchEvent(new Event('speak')))
      await hears(his)
    })

    test('lets someone be heard again whose connection breaks twice while their microphone is being published', async () => {
      // livekit-client logs several errors about the publication, all with the id of the participant.
      const excuses = [...CUT, /NegotiationError/, /participantID: PA_/]
      const { his, hers } = await twoAt(visitor, 'voice', { excuses })
      /** Negative while nothing is to be cut. */
      let cuts = -1
      await hers.routeWebSocket(/\/rtc\?/, (socket) => {
        const server = socket.connectToServer()
        socket.onMessage((message) => {
          if (cuts < 0 || cuts === 2 || readMessage(Buffer.from(message))?.case !== 'addTrack')
            return server.send(message)
          cuts += 1
          void server.close()
          void socket.close()
        })
      })
      await join(his, hers)
      await hears(his)
      cuts = 0
      await workers.at(-1)?.terminate()
      await expect.poll(() => cuts).toBe(2)
      await isConnected(hers)
      await hears(his)
    })
  },
  { only: 'embedded' },
)

describeInBrowser(
  'a voice room of a portal that is killed and started again',
  ({ open }) => {
    test('is joined again by everyone who was inside, without a click', async () => {
      const [PORT, MEDIA_PORT] = [String(await freePort()), String(await freePort())]
      const settings = {
        ...MEDIA_ON,
        PORT,
        MEDIA_PORT,
        PUBLIC_URL: `http://127.0.0.1:${PORT}`,
        DATABASE_URL: (await testDatabase()).url,
        PORTICO_DATA: await dataFolder(),
      }
      const { url, output, stop } = await startPortico(settings)
      const owner = await new Person({ url }).setUp(/set-up\?code=(\w+)/.exec(output())?.[1] ?? '')
      const ada = await new Person({ url }).signUp()
      const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
      expectOk(await ada.post(`/channels/${channel.id}/join`))
      const named = { name: 'stand-up', type: 'voice' }
      const room = expectOk(await owner.post<Room>(`/channels/${channel.id}/rooms`, named))
      const enter = async (person: Person): Promise<Page> => {
        const excuses = [...CUT, /Failed to load resource/, /WebSocket connection/]
        return open(`${url}/c/${channel.id}/${room.id}`, { ...signedIn(url, person), viewport: DESKTOP, excuses })
      }
      const [his, hers] = [await enter(owner), await enter(ada)]
      await join(his, hers)
      await Promise.all([hears(his), hears(hers)])
      await stop('SIGKILL')
      for (const page of [his, hers])
        await bar(page)
          .getByText(/Reconnecting…|No sound/)
          .waitFor()
      await startPortico(settings)
      await Promise.all([isConnected(his), isConnected(hers)])
      await Promise.all([hears(his), hears(hers)])
    })
  },
  { devices: true },
)

/** Reconnecting may take only a moment, which a slow machine may miss: the page records it. */
async function noteReconnecting(page: Page): Promise<void> {
  await page.evaluate(() => {
    new MutationObserver(() => {
      const text = document.querySelector('[data-landmark="voice"]')?.textContent
      if (text?.includes('Reconnecting…')) document.documentElement.dataset['reconnecting'] = 'yes'
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
}

/** Waits until both hear each other. If not, the error also says who is connected to the media server, and what it forwards. */
async function bothHear({ media }: MediaVisitor, his: Page, hers: Page): Promise<void> {
  try {
    await Promise.all([hears(his), hears(hers)])
  } catch (cause) {
    const { embeddedMedia } = media.portal.server.services
    const known = await Promise.all([embeddedMedia?.connections(), embeddedMedia?.counters()])
    throw new Error(`The media server says ${JSON.stringify(known)}`, { cause })
  }
}

/** Lets the page capture its microphone only after `until` has resolved. */
async function delayMicrophone(page: Page, until: () => Promise<void>): Promise<void> {
  await page.evaluate(`{
    const { mediaDevices } = navigator
    const capture = mediaDevices.getUserMedia.bind(mediaDevices)
    mediaDevices.getUserMedia = (wanted) => (${until.toString()})().then(() => capture(wanted))
  }`)
}

/** Waits until the page has said that it is reconnecting. */
function wasReconnecting(page: Page): Promise<void> {
  return page.locator('html[data-reconnecting]').waitFor()
}

/** Marks the element that plays the others: a track that is published again has a new one. */
async function mark(page: Page): Promise<void> {
  await page.locator('audio').evaluateAll((all: HTMLAudioElement[]) => {
    for (const element of all) element.dataset['marked'] = 'yes'
  })
}

function isMarked(page: Page): Promise<boolean> {
  return page
    .locator('audio')
    .evaluateAll((all: HTMLAudioElement[]) => all.length > 0 && all.every(({ dataset }) => dataset['marked'] === 'yes'))
}
