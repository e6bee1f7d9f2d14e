import type { OwnChannel } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { dataFolder } from '../../test/data-folder.ts'
import { startDatabaseRelay } from '../../test/database-relay.ts'
import { testDatabase } from '../../test/database.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { Person } from '../../test/person.ts'
import { launch, portico, startPortico } from '../../test/portico-process.ts'
import { startNode } from '../../test/start-node.ts'
import { setUpCode } from '../accounts/set-up.ts'
import { SERVING_LOCK } from './serving-lease.ts'

const PORTICO_SECRET = 'the same for every process of a portal'

/** Starts a portal in a separate process. */
async function startProgram(settings: Record<string, string>) {
  const program = await startPortico({ ...settings, PORTICO_DATA: await dataFolder() })
  return { ...program, setUpCode: await program.said(/set-up\?code=(\w+)/) }
}

/** Starts a portal in this process, for tests in which it isn't killed, suspended or displaced. Closed after the test. */
async function startHere(settings: Record<string, string>) {
  const server = await startNode(settings)
  onTestFinished(() => server.close())
  return { url: server.url, setUpCode: setUpCode(server.services.secret) }
}

/** A portal with a bot in its access cache. */
async function portalWithBot<First extends { readonly url: string; readonly setUpCode: string }>(
  start: (settings: Record<string, string>) => Promise<First>,
  throughUrl: (url: string) => string = (url) => url,
) {
  const { url } = await testDatabase()
  const settings = { DATABASE_URL: url, PORTICO_SECRET }
  const first = await start({ ...settings, DATABASE_URL: throughUrl(url) })
  const owner = await new Person(first).setUp(first.setUpCode)
  const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Harbour', open: true }))
  const bot = await Bot.of(first, owner, 'Bot')
  expectOk(await owner.put(`/channels/${channel.id}/applications/${bot.application.id}`, {}))
  expectOk(await owner.put(`/applications/${bot.application.id}/limits`, { requests: 100_000, writes: 100_000 }))
  const me = (at: { readonly url: string }, key = bot.key): Promise<number> =>
    fetch(`${at.url}/api/v1/me`, { headers: { authorization: `Bot ${key}` } }).then(({ status }) => status)
  return { url, settings, first, owner, bot, me, next: async () => ({ ...settings, PORTICO_DATA: await dataFolder() }) }
}

/** The server's process behind the connection that the serving process listens on. */
async function listeningBackend(url: string): Promise<number> {
  const [row] = await queryDatabase(
    url,
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = ${SERVING_LOCK}::oid AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  return Number(row?.['pid'])
}

/** Invalidates all keys in the database directly. */
const REPLACE_KEYS = `UPDATE application_keys SET key_hash = sha256(key_hash)`

describe('a database', () => {
  test('is served by one process: a second one says so and exits', async () => {
    const { first, me, next } = await portalWithBot(startHere)
    const second = await launch(['start'], { HOST: '127.0.0.1', PORT: '0', ...(await next()) }).ended
    expect(second.code).toBe(1)
    expect(second.stderr).toContain('Another Portico process serves this database.')
    expect(second.stderr).toContain('REDIS_URL')
    expect(await me(first)).toBe(200)
  })

  test('passes to the next process as soon as the first has stopped', async () => {
    const { first, me, next } = await portalWithBot(startProgram)
    const starting = startPortico(await next())
    await sleep(500)
    expect((await first.stop()).code).toBe(0)
    const second = await starting
    expect(await me(second)).toBe(200)
    expect(second.output()).not.toContain('did not sign off')
  })

  test('passes to the next process when the first was killed', async () => {
    const { first, me, next } = await portalWithBot(startProgram)
    await first.stop('SIGKILL')
    const second = await startPortico(await next())
    expect(second.output()).toContain('did not sign off')
    expect(await me(second)).toBe(200)
  })
})

describe('a process that serves', () => {
  test('never accepts a key that its successor has replaced, although its listening connection fails silently', async () => {
    const relay = await startDatabaseRelay()
    const { url, first, owner, bot, me, next } = await portalWithBot(startProgram, relay.through)
    const old = bot.key
    expect(await me(first)).toBe(200)
    const pid = await listeningBackend(url)
    // The successor already waits for the lock, so that the first process can’t get it back.
    const successor = launch(['start'], { HOST: '127.0.0.1', PORT: '0', ...(await next()) })
    await successor.said(/waiting for the process that serves/)
    relay.silence(pid)
    // The server considers the connection dead and releases its lock; the process does not notice.
    await queryDatabase(url, `SELECT pg_terminate_backend(${pid})`)
    let replaced = false
    const requesting = (async (): Promise<number> => {
      let accepted = 0
      for (;;) {
        const isReplaced = replaced
        const status = await me(first, old).catch(() => 0)
        if (status === 0) return accepted
        if (isReplaced && status === 200) accepted += 1
      }
    })()
    const second = { url: await successor.said(/Portal +(http\S+)/) }
    expect(await me(second, old)).toBe(200)
    await new Bot(second, new Person(second).known(owner.id, owner.cookie), bot.application).reissue()
    replaced = true
    expect(await me(second, old)).toBe(401)
    // It stops by itself, because another process serves.
    expect((await first.ended).code).toBe(1)
    expect(first.output()).toContain('another process serves this database now')
    expect(await requesting).toBe(0)
  })

  test('continues when its listening connection fails silently and no other process has taken over', async () => {
    const relay = await startDatabaseRelay()
    const { url, first, me } = await portalWithBot(startHere, relay.through)
    relay.silence(await listeningBackend(url))
    const statuses = new Set<number>()
    // Longer than it takes to notice, reconnect, and end the session that the server still considers alive.
    for (const until = Date.now() + 15_000; Date.now() < until; await sleep(100)) statuses.add(await me(first))
    expect([...statuses].filter((status) => ![200, 504].includes(status))).toEqual([])
    await expect.poll(() => me(first)).toBe(200)
    expect(await listeningBackend(url)).toBeGreaterThan(0)
  })

  test('answers with no stale data after it was suspended', async () => {
    const { url, first, me } = await portalWithBot(startProgram)
    // Its notifications are lost: it must not depend on being notified.
    await queryDatabase(url, 'ALTER TABLE application_keys DISABLE TRIGGER ALL')
    for (let round = 0; round < 3; round += 1) expect(await me(first)).toBe(200)
    first.kill('SIGSTOP')
    await queryDatabase(url, REPLACE_KEYS)
    const answers = Array.from({ length: 8 }, () => me(first))
    await sleep(11_000)
    first.kill('SIGCONT')
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 8 }, () => 401))
  })

  test('sees changes that others make in the database immediately', async () => {
    const { url, first, me } = await portalWithBot(startHere)
    expect([await me(first), await me(first)]).toEqual([200, 200])
    await queryDatabase(url, REPLACE_KEYS)
    await expect.poll(() => me(first), { timeout: 8000 }).toBe(401)
  })

  test('keeps its own session settings, whatever DATABASE_URL contains', async () => {
    const options = encodeURIComponent('-c client_min_messages=error -c plan_cache_mode=auto -c work_mem=8MB')
    const { url, first, bot, me } = await portalWithBot(
      startHere,
      (plain) => `${plain}&options=${options}&application_name=mine`,
    )
    const old = bot.key
    expect([await me(first), await me(first)]).toEqual([200, 200])
    await bot.reissue()
    expect(await me(first, old)).toBe(401)
    const sessions = await queryDatabase(
      url,
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    )
    expect(sessions).toEqual([{ name: 'portico' }])
  })
})

describe('restore --force', () => {
  test('refuses while a process serves the database, whatever its application_name', async () => {
    const { settings, next } = await portalWithBot(startHere, (plain) => `${plain}&application_name=mine`)
    const folder = await dataFolder()
    const file = `${folder}.tar.gz`
    expect(await portico(['backup', file], { ...settings, PORTICO_DATA: folder })).toMatchObject({ code: 0 })
    const restored = await portico(['restore', file, '--force'], await next())
    expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('Portico is still running') })
  })
})
