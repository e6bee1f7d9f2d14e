import type { Browser } from 'playwright-core'
import { PERFECT, startLossyRelay, type LossyRelay } from '../../media/test/lossy-relay.ts'
import { relaySignals } from '../../server/test/media/relay-signals.ts'
import type { Contender } from '../media/contenders.ts'
import { openCaller, type Caller } from './caller.ts'

export interface Entered {
  readonly caller: Caller
  /** Between the caller and the media server. */
  readonly relay: LossyRelay
}

interface Entry {
  readonly browser: Browser
  /** Of the page. */
  readonly address: string
  readonly contender: Contender
  readonly room: string
  readonly identity: string
}

/** Someone enters a room, over a network of their own that is perfect at first. */
export async function enterRoom(ending: AsyncDisposableStack, entry: Entry): Promise<Entered> {
  const { browser, address, contender, room, identity } = entry
  const { url, token, mediaPort } = await contender.address(room, identity)
  const relay = ending.use(await startLossyRelay(mediaPort, PERFECT))
  const signals = await relaySignals(url, relay.port)
  ending.defer(() => signals.stop())
  const caller = await openCaller(browser, address, signals.url, token)
  ending.defer(() => caller.leave())
  return { caller, relay }
}
