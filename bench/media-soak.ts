import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ChannelRooms } from './media/soak-person.ts'
import { live } from './media/soak-person.ts'
import { METRICS_TOKEN, startTown } from './media/town.ts'
import { Stopping } from './stopping.ts'

const PEOPLE = 20
const MINUTE = 60_000
/**
 * The last minute may need this much of the highest level of the first five. A single minute says little: the system takes back
 * pages of a heap that are not used for a while.
 */
const AIM = 1.1

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } })
const minutes = Number(values.minutes)
const first = Math.min(5, Math.ceil(minutes / 2))

/** People join, leave, mute, publish and vanish at random. Reports what grew, who got stuck and what was logged. */
const stopping = new Stopping()
try {
  const logged: string[] = []
  const town = await startTown(PEOPLE, (text) => logged.push(text))
  stopping.add(town.portico.stop)
  const rooms = [await town.createRoom('voice'), await town.createRoom('voice')]

  const ending = new AbortController()
  stopping.add(async () => ending.abort())
  const counts = new Map<string, number>()
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const living = Promise.all(town.people.map((person) => live({ town, person, rooms, count, signal: ending.signal })))

  const memory: number[] = []
  for (let minute = 0; minute < minutes; minute += 1) {
    const samples: number[] = []
    for (let tenth = 0; tenth < 10; tenth += 1) {
      await Promise.race([sleep(MINUTE / 10), living])
      samples.push(await residentMiB(town.portico.pid))
    }
    memory.push(samples.reduce((sum, sample) => sum + sample, 0) / samples.length)
    console.log(`minute ${minute + 1}: ${memory[minute]?.toFixed(0)} MiB, ${summary(counts)}`)
  }
  ending.abort()
  await living
  // Those who vanished are taken out after a minute.
  await sleep(1.5 * MINUTE)

  const left = await mediaParticipants(town.portico.port)
  const listed = await inVoiceRooms()
  const growth = (memory.at(-1) ?? NaN) / Math.max(...memory.slice(0, first))
  console.log(`done: ${summary(counts)}`)
  console.log(`memory: × ${growth.toFixed(3)} of the highest level of the first ${first} minutes (aim: ${AIM})`)
  console.log(`left in the media server: ${left}; still shown in voice rooms: ${listed}; log lines: ${logged.length}`)
  if (logged.length > 0) console.log(logged.join(''))
  const failed = growth > AIM || left > 0 || listed > 0 || logged.length > 0 || counts.has('stuck')
  if (failed) process.exitCode = 1

  async function inVoiceRooms(): Promise<number> {
    const all = await town.owner.call<ChannelRooms>('GET', `/channels/${town.channelId}/rooms`)
    return all.rooms.reduce((sum, { users = [] }) => sum + users.length, 0)
  }
} finally {
  await stopping.all()
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function mediaParticipants(port: number): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text()
  return Number(/^portico_media_participants (\d+)$/m.exec(text)?.[1])
}

function summary(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, times]) => `${what} ${times}`).join(', ')
}
