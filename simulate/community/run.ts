import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '../../bench/events/webhooks.ts'
import { Community } from './community.ts'
import { possibleFaults } from '../faults/possible-faults.ts'
import { causeFaults } from '../faults/schedule.ts'
import { readEverything, settle } from './final-reads.ts'
import { History, type Mode } from '../history/history.ts'
import { reportProgress } from './progress.ts'
import { watchMachine } from '../world/watch-machine.ts'
import { Random } from '../random/random.ts'
import { startCluster } from '../world/cluster.ts'
import { emptyFolder } from '../world/disk.ts'
import { disksIn } from '../world/provisions.ts'
import { requirePrograms } from '../world/requirement.ts'
import { startSingle } from '../world/single.ts'

/** The time after which nothing of the last connections is left. */
const AFTER_ALL = 20_000
const WARM_UP_ROUNDS = 5
const AFTER_WARM_UP = 3_000

export interface RunOptions {
  readonly seed: string
  readonly minutes: number
  readonly mode: Mode
  /** The names of the faults that may happen. */
  readonly faults: ReadonlySet<string>
  readonly checkout: string
  /** Emptied first. The history is written there. */
  readonly folder: string
  readonly say: (text: string) => void
  /** Ends the run early, with an error. Everything is stopped. */
  readonly signal: AbortSignal
}

/** Lets the community live for a while, and returns the path of its history. */
export async function run(options: RunOptions): Promise<string> {
  const { folder, mode, signal } = options
  requirePrograms(mode)
  await emptyFolder(folder, disksIn(folder))
  await using ending = new AsyncDisposableStack()
  return await Promise.race([live(options, ending), rejectWhenAborted(signal)])
}

async function live(options: RunOptions, ending: AsyncDisposableStack): Promise<string> {
  const { seed, minutes, mode, checkout, folder, say } = options
  const random = new Random(seed)
  const history = new History(join(folder, 'history.jsonl'))
  ending.defer(() => history.close())
  const head = { seed, mode, minutes, faults: [...options.faults], startedAt: new Date().toISOString() }
  history.add({ kind: 'head', ...head })
  const stopWatching = watchMachine(history)
  ending.defer(async () => stopWatching())
  const certificate = await makeCertificate()
  ending.defer(() => certificate.remove())
  let secrets: Iterable<string> = []
  const underWay = new Set<string>()
  say(mode === 'cluster' ? 'Three nodes and what they share are being started…' : 'The program is being started…')
  const worldOptions = {
    folder,
    checkout,
    history,
    secrets: () => secrets,
    settings: {
      NODE_EXTRA_CA_CERTS: certificate.path,
      WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
      WEBHOOK_RETRY_PAUSES: '1,2,3,5,5,5,5',
    },
    faults: options.faults,
    underWay,
    random: random.of('world'),
  }
  const world = await (mode === 'cluster' ? startCluster : startSingle)(worldOptions, ending)
  const { faults, skipped } = possibleFaults(world, options.faults)
  for (const remark of world.remarks) say(remark)
  say(`Faults: ${faults.map(({ name }) => name).join(', ') || 'none'}`)
  for (const { fault, why } of skipped) say(`Skipped: ${fault}, because ${why}`)

  const community = new Community({
    history,
    random,
    url: world.url,
    setUpCode: world.setUpCode,
    certificate,
    folder,
    checkout,
  })
  ending.defer(async () => void (await Promise.all(community.receivers.map((receiver) => receiver.close()))))
  ending.defer(async () => community.disconnect())
  secrets = community.secrets
  say('People, channels and bots are being founded…')
  await community.found()
  history.add({ kind: 'phase', phase: 'founded' })
  await warmUp(community)
  history.add({ kind: 'sample', when: 'before', held: await world.held() })
  community.connect()

  say(`${community.people.length} people and ${community.bots.length} bots act for ${minutes} minutes…`)
  history.add({ kind: 'phase', phase: 'acting' })
  const acting = new AbortController()
  const { signal } = acting
  const actors = community.actors.map((actor) => {
    return act(actor, actor.pause, random.of(`pauses of ${actor.name}`), signal)
  })
  const stopReporting = reportProgress({ history, minutes, underWay, say })
  ending.defer(async () => stopReporting())
  await Promise.all([
    sleep(minutes * 60_000).then(() => acting.abort()),
    causeFaults({ faults, history, random: random.of('faults'), underWay, signal }),
  ])
  stopReporting()
  community.locks.end()
  await Promise.all(actors)
  say('Nobody acts anymore. Waiting until everything has arrived…')
  await settle(community, history, random.of('the end'))
  history.add({ kind: 'phase', phase: 'quiet' })

  say('It is quiet. Reading what everybody can see…')
  await readEverything(community, random.of('the reading'))
  history.add({ kind: 'phase', phase: 'read' })
  await community.disconnect()
  await sleep(AFTER_ALL)
  history.add({ kind: 'sample', when: 'after', held: await world.held() })
  history.add({ kind: 'phase', phase: 'over' })
  return history.path
}

/** Pools are open and code is compiled before anything is measured. */
async function warmUp({ people }: Community): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    await Promise.all(
      people.flatMap(({ client }) => [client.call('listChannels', {}), client.call('listReadStates', {})]),
    )
  }
  for (const { client } of people) client.close()
  await sleep(AFTER_WARM_UP)
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the run was interrupted')), { once: true })
  })
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
