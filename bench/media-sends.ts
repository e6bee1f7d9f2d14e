import { parseArgs } from 'node:util'
import { startProgram } from './api/child-program.ts'
import { median } from './api/median.ts'
import { LIVEKIT, startLivekit } from './media/contenders.ts'
import type { LoadRequest, LoadResult } from './media/load-program.ts'
import type { RoomAddress } from './media/room-client.ts'
import { startTown } from './media/town.ts'
import { Stopping } from './stopping.ts'

const VIEWERS = 30
/** After joining, so that keyframes, probes and compilers are done. */
const WARM_UP = 2000

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, sends: { type: 'string', default: '1000' } },
})

/** How long a send takes while the portal forwards a broadcast, while livekit-server does so next to it, and alone. */
const stopping = new Stopping()
try {
  const town = await startTown(VIEWERS)
  stopping.add(town.portico.stop)
  const livekit = process.env['PORTICO_TEST_LIVEKIT']
  const other = livekit ? await startLivekit(livekit) : undefined
  if (other) stopping.add(other.stop)
  else console.log('PORTICO_TEST_LIVEKIT names no livekit-server to compare with')
  const load = startProgram('../media/load-program.ts')
  stopping.add(load.stop)
  const [textRoom, streamRoom] = [await town.createRoom('text'), await town.createRoom('stream')]

  /** The first address is the broadcaster's. */
  const broadcasts: Record<string, (() => Promise<RoomAddress[]>) | undefined> = {
    alone: undefined,
    'with a broadcast': async () => {
      const everyone = [town.owner, ...town.people.map(({ portal }) => portal)]
      return Promise.all(everyone.map((person) => town.join(person, streamRoom)))
    },
    ...(other && {
      [`next to ${LIVEKIT}`]: () =>
        Promise.all(Array.from({ length: VIEWERS + 1 }, (_, index) => other.address('room', `participant-${index}`))),
    }),
  }
  const figures = new Map<string, Quantiles[]>()
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const names = Object.keys(broadcasts)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const delivered = await begin(await broadcasts[name]?.())
      const took = await timeSends(Number(values.sends))
      console.log(`send ${name}: p50 ${took.p50.toFixed(1)} ms, p99 ${took.p99.toFixed(1)} ms${await delivered()}`)
      figures.set(name, [...(figures.get(name) ?? []), took])
    }
  }
  for (const [name, all] of figures) {
    const [p50, p99] = [median(all.map((one) => one.p50)), median(all.map((one) => one.p99))]
    console.log(`median of ${all.length} rounds, ${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
  }

  /** Starts the broadcast. The result ends it and says how much of it arrived. */
  async function begin(addresses: RoomAddress[] | undefined): Promise<() => Promise<string>> {
    if (!addresses) return () => Promise.resolve('')
    const ask = <Answer>(request: LoadRequest): Promise<Answer> => load.ask<Answer>(request)
    await ask({ do: 'join', kind: 'video', senders: 1, addresses })
    await new Promise((resolve) => setTimeout(resolve, WARM_UP))
    return async () => {
      const { sent, received } = await ask<LoadResult>({ do: 'measure', milliseconds: 1000 })
      await ask({ do: 'leave' })
      return `, ${((received / sent / VIEWERS) * 100).toFixed(1)} % of the broadcast delivered`
    }
  }

  async function timeSends(count: number): Promise<Quantiles> {
    const times: number[] = []
    while (times.length < count) {
      const begun = performance.now()
      await town.owner.call('POST', `/rooms/${textRoom}/messages`, { channelId: town.channelId, text: 'Ahoy' })
      times.push(performance.now() - begun)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN
    return { p50: at(0.5), p99: at(0.99) }
  }
} finally {
  await stopping.all()
}

interface Quantiles {
  readonly p50: number
  readonly p99: number
}
