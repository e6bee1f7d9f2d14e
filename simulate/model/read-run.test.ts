import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkRun } from '../checks/check.ts'
import { ada, ben, IN_ROOM, page, withChannel } from '../checks/history-fixture.ts'
import { readRun } from './read-run.ts'
import { indexRun } from './run-builder.ts'

async function runOf(lines: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'portico-history-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'history.jsonl'), lines.join('\n'))
  return readRun(join(folder, 'history.jsonl'))
}

test('a run shares the envelopes of an event that many got, and keeps little of long answers', async () => {
  const history = withChannel()
    .event('a', 'message.created', { roomId: 'room' }, 1)
    .event('b', 'message.created', { roomId: 'room' }, 1)
  history.entries.push({ ...history.entries.at(-1)!, receiver: 'c' } as (typeof history.entries)[number])
  history.call(ben, 'readHistory', IN_ROOM, page({ id: '1', text: 'a long text zq000001' }))
  const { events, exchanges } = await runOf(history.entries.map((entry) => JSON.stringify({ ...entry, at: entry.at })))
  expect(events.map(({ receiver, offset }) => [receiver, offset])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ])
  expect(exchanges.at(-1)).toMatchObject({ marks: ['zq000001'], body: { messages: [{ id: '1', text: 'zq000001' }] } })
})

test('what became of a request with the answer 504 is unknown if the machine was overloaded', () => {
  const late = { status: 504, body: { status: 'error' } }
  const history = withChannel().call(ben, 'send', IN_ROOM, late).add({ kind: 'busy', what: 'begins' })
  history.call(ben, 'send', IN_ROOM, late).add({ kind: 'busy', what: 'ends' }).call(ben, 'send', IN_ROOM, late)
  const { exchanges } = indexRun(history.entries)
  const sends = exchanges.filter(({ operation }) => operation === 'send')
  expect(sends.map(({ status }) => status)).toEqual([504, undefined, 504])
})

test('a run that is still going on ends with an incomplete line; one in the middle is an error', async () => {
  const lines = withChannel()
    .call(ada, 'getProfile')
    .entries.map((entry) => JSON.stringify(entry))
  expect((await runOf([...lines, '{"kind":"ca'])).isComplete).toBe(false)
  await expect(runOf(['{"kind":"ca', ...lines])).rejects.toThrow('broken')
})

test('a run of a minute or more in which a rule was never checked is reported', async () => {
  const history = withChannel({ minutes: 1 }).quiet().add({ kind: 'phase', phase: 'over' })
  const { violations } = checkRun(await runOf(history.entries.map((entry) => JSON.stringify(entry))))
  expect(violations.filter(({ what }) => what === 'nothing was checked').map(({ rule }) => rule)).toContain('quotas')
  const short = withChannel().quiet().add({ kind: 'phase', phase: 'over' })
  expect(checkRun(await runOf(short.entries.map((entry) => JSON.stringify(entry)))).violations).toEqual([])
})
