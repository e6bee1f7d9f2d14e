import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, Server, type AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { dataFolder } from '../../../test/data-folder.ts'
import { databaseProcess } from '../../../test/database-process.ts'
import { atFileEnd, oncePerFile } from '../../../test/file-end.ts'
import { preparedDataFolder } from '../../../test/prepared-data-folder.ts'
import { silentLog } from '../../../test/silent-log.ts'
import { findRunning } from './find-running.ts'
import { startEmbedded } from './start-embedded.ts'
import { embeddedDatabase, queryEmbedded } from '../../../test/embedded-database.ts'

/** A running database that tests only look at. */
const running = oncePerFile(async () => {
  const embedded = await startEmbedded({ dataDir: await dataFolder({ atEnd: atFileEnd }), log: silentLog })
  atFileEnd(() => embedded.stop())
  return embedded
})

describe('startEmbedded', () => {
  test('creates a database on the first start and finds it again on the second', async () => {
    const dataDir = await dataFolder()
    const steps: string[] = []
    const first = await embeddedDatabase({ dataDir, progress: (text) => steps.push(text) })
    expect(steps).toEqual(['creating the database (first start)…'])
    expect(
      await queryEmbedded(first.connection, `SELECT current_database() AS name, lower('ПРИВЕТ, Ёж') AS low`),
    ).toEqual([{ name: 'portico', low: 'привет, ёж' }])
    await queryEmbedded(first.connection, 'CREATE TABLE notes AS SELECT 1 AS id')
    await first.stop()

    const second = await embeddedDatabase({ dataDir, progress: (text) => steps.push(text) })
    expect(await queryEmbedded(second.connection, 'SELECT id FROM notes')).toEqual([{ id: 1 }])
    expect(steps).toHaveLength(1)
  })

  test('keeps fsync and synchronous commit on', async () => {
    const { connection } = await running()
    const [row] = await queryEmbedded(
      connection,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
              current_setting('full_page_writes') AS pages, current_setting('data_checksums') AS checksums,
              current_setting('listen_addresses') AS network`,
    )
    expect(row).toEqual({ fsync: 'on', commit: 'on', pages: 'on', checksums: 'on', network: '' })
  })

  test('makes the socket and the cluster private to their user', async () => {
    const { connection, cluster } = await running()
    for (const folder of [connection.host, cluster]) expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  test('requires the password, which only the user who runs Portico can read', async () => {
    const { connection, dataDir } = await running()
    await expect(queryEmbedded({ ...connection, password: '' }, 'SELECT 1')).rejects.toThrow('can’t be reached')
    await expect(queryEmbedded({ ...connection, password: 'guessed' }, 'SELECT 1')).rejects.toThrow('password')
    const file = await stat(join(dataDir, 'database-password'))
    expect([file.uid, file.mode & 0o777]).toEqual([process.getuid?.(), 0o600])
  })

  test('sets a password on a cluster of an older version', async () => {
    const dataDir = await preparedDataFolder()
    const first = await embeddedDatabase({ dataDir })
    await queryEmbedded(first.connection, 'CREATE TABLE notes AS SELECT 1 AS id')
    await queryEmbedded(first.connection, 'ALTER ROLE portico PASSWORD NULL')
    await first.stop()
    await rm(join(dataDir, 'database-password'))
    await writeFile(join(first.cluster, 'pg_hba.conf'), 'local all all trust\n')

    const second = await embeddedDatabase({ dataDir })
    expect(await queryEmbedded(second.connection, 'SELECT id FROM notes')).toEqual([{ id: 1 }])
    await expect(queryEmbedded({ ...second.connection, password: '' }, 'SELECT 1')).rejects.toThrow('can’t be reached')
    await second.stop()
    const third = await embeddedDatabase({ dataDir })
    expect(third.connection.password).toBe(second.connection.password)
  })

  test('bounds the log of PostgreSQL while it runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const dataDir = await preparedDataFolder()
    const { connection } = await embeddedDatabase({ dataDir })
    const log = join(dataDir, 'postgres.log')
    await appendFile(log, 'x'.repeat(5_000_000))
    vi.advanceTimersByTime(30_000)
    await expect.poll(async () => (await stat(log)).size).toBeLessThan(100_000)
    expect((await stat(`${log}.old`)).size).toBeGreaterThan(5_000_000)
    // The server continues in the same file.
    const before = (await stat(log)).size
    await queryEmbedded(connection, `SELECT pg_reload_conf()`)
    await expect.poll(async () => (await stat(log)).size).toBeGreaterThan(before)
    expect((await stat(log)).size).toBeLessThan(100_000)
  })

  test('refuses a file in the place of the data folder', async () => {
    const dataDir = await dataFolder()
    await writeFile(dataDir, '')
    for (const path of [dataDir, join(dataDir, 'below')]) {
      await expect(startEmbedded({ dataDir: path, log: silentLog })).rejects.toMatchObject({
        name: 'StartError',
        message: expect.stringContaining(`The data folder ${path} can’t be created`),
        hint: 'Set PORTICO_DATA to a folder.',
      })
    }
  })

  test('refuses a second process on the same folder and names the first', async () => {
    const dataDir = await preparedDataFolder()
    const first = databaseProcess(dataDir)
    await first.waitFor('ready')
    await expect(startEmbedded({ dataDir, log: silentLog })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining(`already running on the data folder ${dataDir} (process ${first.child.pid})`),
      hint: expect.stringContaining('PORTICO_DATA'),
    })
    expect(await first.stop()).toBe(0)
    await embeddedDatabase({ dataDir })
  })

  test('takes over from a Portico that was killed and left its PostgreSQL running', async () => {
    const dataDir = await preparedDataFolder()
    const killed = databaseProcess(dataDir, { writeFrom: 1 })
    const { pid } = await killed.waitFor('ready')
    await killed.waitFor('acknowledged')
    killed.kill()
    await killed.ended
    expect((await findRunning(dataDir))?.host).toBe(join(dataDir, 'run'))

    const next = await embeddedDatabase({ dataDir })
    expect(next.pid).not.toBe(pid)
    const acknowledged = killed.reports.flatMap(({ acknowledged }) => acknowledged ?? [])
    const [row] = await queryEmbedded(
      next.connection,
      `SELECT count(*) FROM written WHERE id = ANY ('{${acknowledged.join()}}')`,
    )
    expect(row).toEqual({ count: acknowledged.length })
  })

  test('survives a kill at any moment of the first start', async () => {
    const dataDir = await dataFolder()
    for (const delay of [50, 150, 250, 350, 450, 550, 650, 800]) {
      const killed = databaseProcess(dataDir)
      await sleep(delay)
      // Every second time the child processes survive.
      if (delay % 100 === 0) killed.kill()
      else killed.child.kill('SIGKILL')
      await once(killed.child, 'exit')
    }
    const { connection, stop } = await embeddedDatabase({ dataDir })
    expect(await queryEmbedded(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await stop()
    await embeddedDatabase({ dataDir })
    expect((await readdir(dataDir)).filter((name) => name.startsWith('creating-'))).toEqual([])
  })

  test('starts even if the pid in a stale file belongs to another process, and does not touch that process', async () => {
    const dataDir = await preparedDataFolder()
    const { cluster, stop } = await embeddedDatabase({ dataDir })
    await stop()
    const { uid } = await stat(cluster)
    const stranger = spawn('sleep', ['600'], { uid, stdio: 'ignore', cwd: '/' })
    onTestFinished(() => void stranger.kill())
    await writeFile(
      join(cluster, 'postmaster.pid'),
      `${stranger.pid}\n${cluster}\n1700000000\n5432\n${dataDir}/run\n\n\nready\n`,
    )

    expect(await findRunning(dataDir)).toBeUndefined()
    await embeddedDatabase({ dataDir })
    expect(stranger.exitCode).toBeNull()
    expect(stranger.signalCode).toBeNull()
  })

  test('leaves the server of the original alone when it starts on a copy of the folder', async () => {
    const original = await running()
    const copy = await dataFolder()
    await mkdir(copy)
    // As root, the copy belongs to root: the start must return it to the database user.
    await cp(original.cluster, join(copy, 'pg18'), { recursive: true })

    const copied = await embeddedDatabase({ dataDir: copy })
    expect(copied.pid).not.toBe(original.pid)
    expect(await queryEmbedded(original.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await queryEmbedded(copied.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('puts the socket elsewhere when the path of the data folder is too long for one', async () => {
    const dataDir = join(await dataFolder(), 'very-long'.repeat(12))
    const { connection, stop } = await embeddedDatabase({ dataDir })
    expect(connection.host.startsWith(dataDir)).toBe(false)
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700)
    expect(await findRunning(dataDir)).toEqual(connection)
    await stop()
    await expect(stat(connection.host)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('uses loopback with a password where Unix sockets are unavailable', async () => {
    const dataDir = await preparedDataFolder()
    const { connection } = await embeddedDatabase({ dataDir, transport: 'loopback' })
    expect(connection.host).toBe('127.0.0.1')
    expect(await queryEmbedded(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await findRunning(dataDir)).toEqual(connection)
    await expect(queryEmbedded({ ...connection, password: 'guessed' }, 'SELECT 1')).rejects.toThrow('password')
  })

  test('chooses another port when a program has just taken the one that was free', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const address = taken.address() as AddressInfo
    const chosen = vi.spyOn(Server.prototype, 'address').mockReturnValueOnce(address)
    onTestFinished(() => chosen.mockRestore())
    const { connection } = await embeddedDatabase({ dataDir: await preparedDataFolder(), transport: 'loopback' })
    expect(connection.port).not.toBe(address.port)
    expect(await queryEmbedded(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test.runIf(existsSync('/usr/lib/postgresql'))('uses the PostgreSQL of the system where none is bundled', async () => {
    const { connection, cluster, version } = await embeddedDatabase({ dataDir: await dataFolder(), programs: 'system' })
    expect(basename(cluster)).toBe(`pg${Number.parseInt(version, 10)}`)
    expect(await queryEmbedded(connection, `SELECT lower('ПРИВЕТ') AS low, 'Z' < 'a' AS by_code_point`)).toEqual([
      { low: 'привет', by_code_point: true },
    ])
  })

  test('reports an unexpected exit of PostgreSQL', async () => {
    const program = databaseProcess(await preparedDataFolder())
    const { pid } = await program.waitFor('ready')
    process.kill(pid, 'SIGQUIT')
    await program.waitFor('exit')
    expect(await program.ended).toBe(3)
  })

  test('shields PostgreSQL from Ctrl+C, and stops it last', async () => {
    const dataDir = await preparedDataFolder()
    const program = databaseProcess(dataDir)
    await program.waitFor('ready')
    program.kill('SIGINT')
    await program.ended
    expect(await findRunning(dataDir)).toBeDefined()

    const next = databaseProcess(dataDir)
    await next.waitFor('ready')
    expect(await next.stop()).toBe(0)
    expect(await findRunning(dataDir)).toBeUndefined()
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toContain('database system is shut down')
  })

  test('refuses the data of another major version and says how to move it', async () => {
    const dataDir = await dataFolder()
    await mkdir(join(dataDir, 'pg14', 'global'), { recursive: true })
    await writeFile(join(dataDir, 'pg14', 'PG_VERSION'), '14\n')
    await writeFile(join(dataDir, 'pg14', 'global', 'pg_control'), '')
    await expect(startEmbedded({ dataDir, log: silentLog })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('was written by PostgreSQL 14; this Portico has PostgreSQL 18'),
      hint: expect.stringMatching(/portico backup.*portico restore/),
    })
  })

  test('refuses a damaged cluster instead of replacing it', async () => {
    const dataDir = await preparedDataFolder()
    const cluster = join(dataDir, 'pg18')
    await rm(join(cluster, 'global', 'pg_control'))
    await expect(startEmbedded({ dataDir, log: silentLog })).rejects.toMatchObject({
      message: expect.stringContaining('isn’t a complete PostgreSQL 18 database'),
      hint: expect.stringContaining('Restore it from a backup'),
    })
  })

  test('shows what PostgreSQL said when it does not start', async () => {
    const dataDir = await preparedDataFolder()
    const settings = { shared_buffers: 'plenty' }
    await expect(startEmbedded({ dataDir, log: silentLog, settings })).rejects.toMatchObject({
      message: expect.stringContaining('invalid value for parameter "shared_buffers": "plenty"'),
      hint: expect.stringContaining('postgres.log'),
    })
    await embeddedDatabase({ dataDir })
  })
})
