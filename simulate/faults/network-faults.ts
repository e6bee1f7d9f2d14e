import type { Random } from '../random/random.ts'
import type { Relay } from '../world/relay.ts'
import type { Fault } from './fault.ts'

/** In milliseconds. */
const LASTS = { from: 1_000, to: 20_000 }
const DELAY = { from: 50, to: 500 }
/** How often all connections are hit, all those of one kind, and how many of them otherwise. */
const ALL_CONNECTIONS = 0.4
const ALL_RELAYS = 0.3
const SHARE = { from: 0.1, to: 0.9 }

interface Hit {
  readonly relays: readonly Relay[]
  /** Whether a connection is hit. */
  readonly hits: () => boolean
  readonly delay: number
}

const VERBS: Readonly<Record<string, (hit: Hit) => void>> = {
  cut: ({ relays, hits }) => relays.forEach((relay) => relay.cut(hits)),
  hold: ({ relays, hits }) => relays.forEach((relay) => relay.hold(hits)),
  delay: ({ relays, hits, delay }) => relays.forEach((relay) => relay.delay(delay, hits)),
  refuse: ({ relays }) => relays.forEach((relay) => relay.refuse()),
}

/** Networks fail: all of a kind, such as that between the nodes and Redis, or that of one node only. */
export function networkFaults(relays: readonly Relay[]): Fault[] {
  return Map.groupBy(relays, ({ kind }) => kind)
    .entries()
    .flatMap(([kind, ofKind]) =>
      Object.entries(VERBS).map(([verb, apply]): Fault => ({
        name: `${verb}-${kind}`,
        group: `network of ${kind}`,
        plan: (random) => {
          const hit = choose(ofKind, random)
          const names = hit.relays.map(({ name }) => name).join(', ')
          return {
            hit: verb === 'delay' ? `${names} (${Math.round(hit.delay)} ms)` : names,
            // A cut is over at once.
            lasts: verb === 'cut' ? 0 : random.between(LASTS.from, LASTS.to),
            begin: async () => apply(hit),
            end: async () => hit.relays.forEach((relay) => relay.restore()),
          }
        },
      })),
    )
    .toArray()
}

function choose(ofKind: readonly Relay[], random: Random): Hit {
  const some = random.pick(ofKind)
  const relays = !some || random.chance(ALL_RELAYS) ? ofKind : [some]
  const share = random.chance(ALL_CONNECTIONS) ? 1 : random.between(SHARE.from, SHARE.to)
  const connections = random.of('connections')
  return { relays, hits: () => connections.chance(share), delay: random.between(DELAY.from, DELAY.to) }
}
