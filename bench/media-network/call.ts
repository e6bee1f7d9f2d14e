import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { fakeMicrophone } from '../../e2e/voice/fake-microphone.ts'
import type { BadNetwork } from '../../media/test/lossy-relay.ts'
import type { Contender } from '../media/contenders.ts'
import type { Stopping } from '../stopping.ts'
import { openBrowser } from '../portal/browser.ts'
import type { Heard } from './caller.ts'
import { writeCameraFile } from './camera-file.ts'
import { enterRoom } from './enter-room.ts'

/** What stands between a person and the media server while they speak or listen. */
export interface Condition {
  readonly name: string
  readonly speaker: BadNetwork
  readonly listener: BadNetwork
}

export interface Figure {
  readonly contender: string
  readonly codec: string
  /** The shares of what was played, and of what was sent to the listener. */
  readonly concealed: number
  readonly lost: number
  readonly kilobits: number
  /** How long sound waits in the listener's jitter buffer, in milliseconds. */
  readonly waited: number
}

/** The jitter buffer has adapted, and the reports about the loss have arrived. */
const WARM_UP = 10_000

/** Two browsers, because one would filter out the speech that it also plays, and a page for them. */
export interface Equipment {
  readonly speaking: Browser
  readonly listening: Browser
  readonly address: string
}

export async function equip(stopping: Stopping): Promise<Equipment> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-voice-'))
  stopping.add(() => rm(folder, { recursive: true }))
  const file = join(folder, 'voice.wav')
  const camera = join(folder, 'camera.y4m')
  await Promise.all([writeFile(file, fakeMicrophone()), writeCameraFile(camera, 1920, 1080)])
  const devices = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
  const open = async (): Promise<Browser> => {
    const browser = await openBrowser([
      ...devices,
      `--use-file-for-fake-audio-capture=${file}`,
      `--use-file-for-fake-video-capture=${camera}`,
      '--autoplay-policy=no-user-gesture-required',
    ])
    stopping.add(() => browser.close())
    return browser
  }
  const script = await readFile(createRequire(import.meta.url).resolve('livekit-client'))
  const web = createServer(({ url }, response) => {
    if (url === '/livekit-client.js') response.setHeader('content-type', 'text/javascript').end(script)
    else
      response.setHeader('content-type', 'text/html').end('<!doctype html><script src="/livekit-client.js"></script>')
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  stopping.add(async () => {
    web.closeAllConnections()
    web.close()
  })
  return {
    speaking: await open(),
    listening: await open(),
    address: `http://localhost:${(web.address() as AddressInfo).port}/`,
  }
}

let calls = 0

/** One person speaks to another, whose network is impaired once they hear each other. */
export async function call(
  { speaking, listening, address }: Equipment,
  contender: Contender,
  condition: Condition,
  seconds: number,
): Promise<Figure> {
  await using ending = new AsyncDisposableStack()
  const place = { address, contender, room: `call-${(calls += 1)}` }
  const speaker = await enterRoom(ending, { ...place, browser: speaking, identity: 'speaker' })
  const listener = await enterRoom(ending, { ...place, browser: listening, identity: 'listener' })
  await speaker.caller.speak()
  await listener.caller.listen()
  speaker.relay.network = condition.speaker
  listener.relay.network = condition.listener
  await sleep(WARM_UP)
  const before = await listener.caller.heard()
  await sleep(seconds * 1000)
  return { contender: contender.name, ...figures(before, await listener.caller.heard(), seconds) }
}

function figures(before: Heard, after: Heard, seconds: number): Omit<Figure, 'contender'> {
  const grown = (name: Exclude<keyof Heard, 'codec'>): number => after[name] - before[name]
  return {
    codec: after.codec,
    concealed: grown('concealed') / grown('samples'),
    lost: grown('lost') / (grown('lost') + grown('packets')),
    kilobits: (grown('bytes') * 8) / 1000 / seconds,
    waited: grown('waited') / grown('samples'),
  }
}
