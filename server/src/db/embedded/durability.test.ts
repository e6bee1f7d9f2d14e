import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { databaseProcess } from '../../../test/database-process.ts'
import { killQuietly } from '../../../test/signal-server.ts'
import { preparedDataFolder } from '../../../test/prepared-data-folder.ts'
import { silentLog } from '../../../test/silent-log.ts'
import { openDatabase } from '../open-database.ts'
import type { Connection } from './connection.ts'

const rounds = 20

test(`loses no acknowledged row in ${rounds} kills under concurrent writes`, { timeout: 300_000 }, async () => {
  const dataDir = await preparedDataFolder()
  const acknowledged: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const program = databaseProcess(dataDir, { writeFrom: round * 1_000_000 })
    const { pid, connection } = await program.waitFor('ready')
    expect(await missing(connection, acknowledged), `after ${round - 1} kills`).toEqual([])

    await program.waitFor('acknowledged')
    await sleep(Math.random() * 400)
    // In turn: the server is left running, is killed without its workers, and is killed with all of them.
    const victims = round % 3 === 0 ? [] : round % 3 === 1 ? [pid] : [pid, ...(await childrenOf(pid))]
    program.kill()
    for (const victim of victims) killQuietly(victim)
    await program.ended
    acknowledged.push(...program.reports.flatMap((line) => line.acknowledged ?? []))
  }

  const last = databaseProcess(dataDir)
  const { connection } = await last.waitFor('ready')
  expect(await missing(connection, acknowledged)).toEqual([])
  expect(acknowledged.length).toBeGreaterThan(rounds)
  expect(await last.stop()).toBe(0)
})

async function missing(connection: Connection, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const { pool, close } = await openDatabase({ connection, log: silentLog, poolSize: 1 })
  try {
    const sql = 'SELECT id FROM unnest($1::bigint[]) AS id EXCEPT SELECT id FROM written'
    return (await pool.query<{ id: number }>(sql, [ids])).rows.map(({ id }) => id)
  } finally {
    await close()
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).map(Number).filter(Boolean)
  const parents = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  // The name in brackets may contain anything; the state and the parent's pid follow it.
  return pids.filter((_, index) => Number(parents[index]?.split(') ').at(-1)?.split(' ')[1]) === parent)
}
