import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProgram } from '../api/child-program.ts'
import { cpuSeconds } from '../api/cpu-time.ts'
import type { Contender } from './contenders.ts'
import type { LoadRequest, LoadResult } from './load-program.ts'
import { withTimeLimit } from './time-limit.ts'

export interface Load {
  readonly name: string
  readonly kind: 'audio' | 'video'
  readonly senders: number
  readonly participants: number
}

export interface Figure {
  readonly contender: string
  /** CPU time of the server for one packet that reached a receiver, in µs. */
  readonly cpu: number
  readonly packetsPerSecond: number
  /** The share of the packets that should have arrived. */
  readonly delivered: number
  readonly p50: number
  readonly p99: number
  /** What each participant added to the memory of the server, in KiB. */
  readonly memory: number
}

/** After joining, so that keyframes, probes and compilers are done. */
const WARM_UP = 2000
/** Nobody waits longer for a hundred participants to join. */
const PATIENCE_SECONDS = 120

let rooms = 0

/** One room with this load, on one server. */
export async function measure(
  contender: Contender,
  load: Load,
  program: ChildProgram,
  seconds: number,
): Promise<Figure> {
  const ask = <Answer>(request: LoadRequest): Promise<Answer> => {
    const what = `${contender.name}: ${load.name}: ${request.do}`
    const limit = { what, seconds: seconds + PATIENCE_SECONDS, output: () => contender.output() }
    return withTimeLimit(limit, program.ask<Answer>(request))
  }
  const { kind, senders, participants } = load
  const room = `room-${rooms++}`
  const before = await residentKiB(contender.pid)
  const identities = Array.from({ length: participants }, (_, index) => `participant-${index}`)
  const addresses = await Promise.all(identities.map((identity) => contender.address(room, identity)))
  await ask({ do: 'join', kind, senders, addresses })
  await sleep(WARM_UP)
  const started = await cpuSeconds(contender.pid)
  const { sent, received, p50, p99 } = await ask<LoadResult>({ do: 'measure', milliseconds: seconds * 1000 })
  const ended = await cpuSeconds(contender.pid)
  const after = await residentKiB(contender.pid)
  await ask({ do: 'leave' })
  return {
    contender: contender.name,
    cpu: (((ended ?? NaN) - (started ?? NaN)) * 1e6) / received,
    packetsPerSecond: received / seconds,
    delivered: received / (sent * (participants - 1)),
    p50,
    p99,
    memory: (after - before) / participants,
  }
}

async function residentKiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
}
