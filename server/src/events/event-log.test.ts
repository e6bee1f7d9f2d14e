import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { reader, writer } from '../../test/event-log-fixture.ts'
import { trimEvents } from './trim.ts'

/** In milliseconds: a reader that didn’t wait would have delivered by then. */
const LONG_ENOUGH = 300

describe('the event log', () => {
  test('never delivers a later event before an earlier one that is still uncommitted', async () => {
    const { url } = await testDatabase()
    const { log, subjects } = await reader(url)
    const [first, second] = [await writer(url), await writer(url)]
    await first.write('first')
    await second.write('second')
    await second.commit()
    log.wake()
    await sleep(LONG_ENOUGH)
    expect(subjects()).toEqual([])
    await first.commit()
    await expect.poll(subjects).toEqual(['first', 'second'])
  })

  test('delivers events of its own process without reading them, in order with those of others', async () => {
    const { url } = await testDatabase()
    const { log, received, subjects } = await reader(url)
    const [own, other] = [await writer(url), await writer(url)]
    // What isn't committed yet can't be read.
    log.wake(await own.write('own'))
    await expect.poll(subjects).toEqual(['own'])
    await own.commit()

    await other.write('of another')
    const later = await own.write('own again')
    await own.commit()
    log.wake(later)
    await sleep(LONG_ENOUGH)
    expect(subjects()).toEqual(['own'])
    await other.commit()
    await expect.poll(subjects).toEqual(['own', 'of another', 'own again'])
    // It was read meanwhile, so it is not delivered again.
    log.wake(later)
    const last = await own.write('last')
    await own.commit()
    log.wake(last)
    await expect.poll(subjects).toEqual(['own', 'of another', 'own again', 'last'])
    expect(received.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })

  test('skips positions whose transactions were rolled back', async () => {
    const { url } = await testDatabase()
    const { log, subjects } = await reader(url)
    const [first, second] = [await writer(url), await writer(url)]
    await first.write('never')
    await second.write('committed')
    await second.commit()
    await first.rollBack()
    await expect.poll(subjects).toEqual(['committed'])
    await first.write('never either')
    await first.rollBack()
    await second.write('committed too')
    await second.commit()
    log.wake()
    await expect.poll(subjects).toEqual(['committed', 'committed too'])
  })

  test('waits for a writer that hangs, loses nothing meanwhile, and continues when it dies', async () => {
    const { url } = await testDatabase()
    const { pool, subjects } = await reader(url)
    const [hanging, busy] = [await writer(url), await writer(url)]
    await busy.write('before')
    await busy.commit()
    await expect.poll(subjects).toEqual(['before'])
    await hanging.write('never')
    const { rows } = await hanging.client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const later = Array.from({ length: 20 }, (_, index) => `later ${index}`)
    for (const subject of later) {
      await busy.write(subject)
      await busy.commit()
    }
    await sleep(LONG_ENOUGH)
    expect(subjects()).toEqual(['before'])
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    await expect.poll(subjects).toEqual(['before', ...later])
  })

  test('is the same for every process, however writers overlap', async () => {
    const { url } = await testDatabase()
    const [one, two] = [await reader(url), await reader(url)]
    const written = await Promise.all(
      Array.from({ length: 6 }, async (_, who) => {
        const { write, commit, rollBack } = await writer(url)
        const committed: string[] = []
        for (let count = 0; count < 60; count += 1) {
          await write(`${who} ${count}`)
          if (Math.random() < 0.3) await sleep(Math.random() * 20)
          if (Math.random() < 0.2) await rollBack()
          else {
            await commit()
            committed.push(`${who} ${count}`)
            one.log.wake()
          }
        }
        return committed
      }),
    )
    const count = written.flat().length
    for (const { received } of [one, two]) await expect.poll(() => received.length).toBe(count)
    expect(one.received).toEqual(two.received)
    expect(one.received).toEqual(one.received.toSorted((a, b) => a.seq - b.seq))
    for (const [who, own] of written.entries()) {
      expect(one.subjects().filter((subject) => subject.startsWith(`${who} `))).toEqual(own)
    }
  })

  test('delivers a batch again to a listener that failed', async () => {
    const { url } = await testDatabase()
    const { log, subjects } = await reader(url)
    let attempts = 0
    log.listen(() => {
      attempts += 1
      if (attempts < 3) throw new Error('the listener failed')
    })
    const { write, commit } = await writer(url)
    await write('retried')
    await commit()
    log.wake()
    await expect.poll(() => attempts).toBe(3)
    expect(new Set(subjects())).toEqual(new Set(['retried']))
    await expect.poll(() => log.top).toBe(1)
  })

  test('knows its end after a restart, even if everything was trimmed', async () => {
    const { url } = await testDatabase()
    const { pool, received } = await reader(url)
    const { write, commit, client } = await writer(url)
    for (const subject of ['a', 'b', 'c']) {
      await write(subject)
      await commit()
    }
    await expect.poll(() => received.length).toBe(3)
    await client.query("UPDATE events SET created_at = '2020-01-01T00:00:00Z'")
    await trimEvents(pool)
    const restarted = await reader(url)
    expect(restarted.log.top).toBe(received.at(-1)?.seq)
    expect(await restarted.log.reaches(restarted.log.top, 0)).toBe(true)
    expect(await restarted.log.reaches(restarted.log.top + 1, 10_000)).toBe(false)
    await write('d')
    await commit()
    restarted.log.wake()
    await expect.poll(restarted.subjects).toEqual(['d'])
  })
})
