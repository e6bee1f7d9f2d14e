import { performance } from 'node:perf_hooks'
import { wordOf, type Seeded } from './seed.ts'

const SEARCHES_AT_ONCE = 25
const SENDS = 300

/** Searches of all kinds, in turns: words from common to rare, alone and together, in one room, of one author. */
function queries({ roomIds, authorIds }: Seeded): Map<string, URLSearchParams> {
  const all = new Map<string, URLSearchParams>()
  const add = (name: string, q: string, filter: Record<string, string> = {}) =>
    all.set(name, new URLSearchParams({ q, ...filter }))
  const [large = '', small = ''] = [roomIds[0], roomIds.at(-1)]
  const [busy = '', quiet = ''] = [authorIds[0], authorIds.at(-1)]
  for (const rank of [2, 10, 100, 1000, 10_000, 45_000]) {
    const word = wordOf(rank)
    add(`word ${rank}`, word)
    add(`word ${rank} in the largest room`, word, { roomId: large })
    add(`word ${rank} in the smallest room`, word, { roomId: small })
    add(`word ${rank} of the busiest author`, word, { authorId: busy })
    add(`word ${rank} of the quietest author`, word, { authorId: quiet })
    add(`words ${rank} and 3`, `${word} ${wordOf(3)}`)
    add(`words ${rank} and ${rank + 1}`, `${word} ${wordOf(rank + 1)}`)
    add(`words ${rank} and ${rank + 1} next to each other`, `"${word} ${wordOf(rank + 1)}"`)
    add(`word ${rank} without 3`, `${word} -${wordOf(3)}`)
  }
  add('six common words', [2, 3, 4, 5, 6, 7].map(wordOf).join(' '))
  add('six words that never come together', [12, 13, 14, 15, 16, 17].map(wordOf).join(' '))
  add('a word that nobody used', 'qqq')
  return all
}

export async function measureSearches(seeded: Seeded, rounds: number): Promise<void> {
  const times = new Map<string, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, query] of queries(seeded)) {
      const begun = performance.now()
      await search(seeded, query)
      times.set(name, [...(times.get(name) ?? []), performance.now() - begun])
    }
  }
  for (const [name, took] of times) process.stdout.write(`${name.padEnd(60)} ${quantile(took, 0.5)} ms\n`)
  const all = [...times.values()].flat()
  process.stdout.write(`all searches: p50 ${quantile(all, 0.5)} ms, p95 ${quantile(all, 0.95)} ms\n`)
}

/** How long a send takes, alone and while others search. */
export async function measureSends(seeded: Seeded, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    process.stdout.write(`send alone: ${await sends(seeded)}\n`)
    const measured = new AbortController()
    const all = [...queries(seeded).values()]
    const searchers = Array.from({ length: SEARCHES_AT_ONCE }, async (_, n) => {
      for (let at = n; !measured.signal.aborted; at += 1)
        await search(seeded, all[at % all.length] ?? new URLSearchParams())
    })
    process.stdout.write(`send while ${SEARCHES_AT_ONCE} people search: ${await sends(seeded)}\n`)
    measured.abort()
    await Promise.all(searchers)
  }
}

function search({ portal, channelId }: Seeded, query: URLSearchParams): Promise<unknown> {
  return portal.call('GET', `/channels/${channelId}/search?${query.toString()}`)
}

async function sends({ portal, channelId, roomIds }: Seeded): Promise<string> {
  const times: number[] = []
  while (times.length < SENDS) {
    const begun = performance.now()
    await portal.call('POST', `/rooms/${roomIds[times.length % roomIds.length]}/messages`, {
      channelId,
      text: wordOf(7),
    })
    times.push(performance.now() - begun)
  }
  return `p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`
}

function quantile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
}
