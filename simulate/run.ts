import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '../bench/events/webhooks.ts'
import { Community } from './community.ts'
import { causeFaults, faultNames } from './faults.ts'
import { readEverything, settle } from './final-reads.ts'
import { History } from './history.ts'
import { Random } from './random.ts'
import type { World } from './world/part.ts'
import { startSingle } from './world/single.ts'

/** In milliseconds: between the steps of one actor. */
const PERSON_PAUSE = { from: 300, to: 3500 }
const BOT_PAUSE = { from: 300, to: 2500 }
const OWNER_PAUSE = { from: 1500, to: 6000 }
/** The time after which nothing of the last connections is left. */
const AFTER_ALL = 20_000

export interface RunOptions {
  readonly seed: string
  readonly minutes: number
  readonly mode: 'single' | 'cluster'
  /** `all`, `none` or names of faults. */
  readonly faults: string
  readonly checkout: string
  /** Emptied first. The history is written there. */
  readonly folder: string
  readonly say: (text: string) => void
}

/** Lets the community live for a while, and returns the path of its history. */
export async function run(options: RunOptions): Promise<string> {
  const { seed, minutes, mode, checkout, folder, say } = options
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const random = new Random(seed)
  const history = new History(join(folder, 'history.jsonl'))
  await using ending = new AsyncDisposableStack()
  ending.defer(() => history.close())
  const certificate = await makeCertificate()
  ending.defer(() => certificate.remove())
  let secrets: Iterable<string> = []
  const world = await startSingle({
    folder,
    checkout,
    history,
    secrets: () => secrets,
    settings: {
      NODE_EXTRA_CA_CERTS: certificate.path,
      WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
      WEBHOOK_RETRY_PAUSES: '1,2,3,5,5,5,5',
    },
  })
  ending.defer(() => world.stop())
  const faults = chosenFaults(world, options.faults)
  history.add({ kind: 'head', seed, mode, faults, minutes, startedAt: new Date().toISOString() })

  const community = new Community({ history, random, url: world.url, setUpCode: world.setUpCode, certificate })
  secrets = community.secrets
  say('People, channels and bots are being founded…')
  await community.found()
  history.add({ kind: 'phase', phase: 'founded' })
  await sleep(2000)
  history.add({ kind: 'sample', when: 'before', held: await world.held() })
  community.connect()

  say(`${community.people.length} people and ${community.bots.length} bots act for ${minutes} minutes…`)
  history.add({ kind: 'phase', phase: 'acting' })
  const acting = new AbortController()
  const { signal } = acting
  const actors = [
    ...community.people.map((actor) => act(actor, PERSON_PAUSE, random.of(`pauses of ${actor.id}`), signal)),
    ...community.bots.map((actor) => act(actor, BOT_PAUSE, random.of(`pauses of ${actor.id}`), signal)),
    ...community.channelOwners.map((actor, at) => act(actor, OWNER_PAUSE, random.of(`pauses of owner ${at}`), signal)),
  ]
  const failing = causeFaults({ world, history, random: random.of('faults'), names: faults, signal })
  await sleep(minutes * 60_000)
  acting.abort()
  await failing
  community.locks.end()
  await Promise.all(actors)
  await settle(community, history, random.of('the end'))
  history.add({ kind: 'phase', phase: 'quiet' })

  say('It is quiet. Reading what everybody can see…')
  await readEverything(community, random.of('the reading'))
  history.add({ kind: 'phase', phase: 'read' })
  community.disconnect()
  await sleep(AFTER_ALL)
  history.add({ kind: 'sample', when: 'after', held: await world.held() })
  history.add({ kind: 'phase', phase: 'over' })
  for (const receiver of community.receivers) await receiver.close()
  return history.path
}

async function act(
  actor: { step(): Promise<void> },
  pause: { readonly from: number; readonly to: number },
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await sleep(random.between(pause.from, pause.to), undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    await actor.step()
  }
}

function chosenFaults(world: World, wish: string): readonly string[] {
  const possible = faultNames(world)
  if (wish === 'all') return possible
  if (wish === 'none') return []
  const chosen = wish.split(',').map((name) => name.trim())
  const unknown = chosen.find((name) => !possible.includes(name))
  if (unknown !== undefined) throw new Error(`There is no fault “${unknown}”. There are: ${possible.join(', ')}`)
  return chosen
}
