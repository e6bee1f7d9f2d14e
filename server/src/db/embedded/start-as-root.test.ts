import { chown, mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dataFolder, isRoot } from '../../../test/data-folder.ts'
import { databaseProcess } from '../../../test/database-process.ts'
import { killQuietly } from '../../../test/signal-server.ts'
import { preparedDataFolder } from '../../../test/prepared-data-folder.ts'
import { silentLog } from '../../../test/silent-log.ts'
import { findRunning } from './find-running.ts'
import { runProgram } from './run-program.ts'
import { startEmbedded } from './start-embedded.ts'
import { embeddedDatabase, queryEmbedded } from '../../../test/embedded-database.ts'

describe.runIf(isRoot)('startEmbedded as root', () => {
  test('runs PostgreSQL as a user of its own, or as the owner of the data folder', async () => {
    const current = await embeddedDatabase({ dataDir: await preparedDataFolder() })
    const { output: own } = await runProgram('id', ['-u', 'portico'])
    expect((await stat(`/proc/${current.pid}`)).uid).toBe(Number(own))

    const theirs = await dataFolder()
    await mkdir(theirs)
    await runProgram('chown', ['33:33', theirs])
    const { pid } = await embeddedDatabase({ dataDir: theirs })
    expect((await stat(`/proc/${pid}`)).uid).toBe(33)
  })

  test('keeps the database in /var/lib/portico when the data folder is closed to other users', async () => {
    const dataDir = await dataFolder()
    await runProgram('chmod', ['700', dirname(dataDir)])
    const steps: string[] = []
    const first = await embeddedDatabase({ dataDir, progress: (text) => steps.push(text) })
    onTestFinished(() => rm(dirname(first.cluster), { recursive: true }))
    expect(first.cluster).toMatch(/^\/var\/lib\/portico\/data-[0-9a-f]{8}\/pg18$/)
    expect(steps.join()).toContain(`the database is kept in ${dirname(first.cluster)}`)
    await queryEmbedded(first.connection, 'CREATE TABLE notes AS SELECT 1 AS id')
    expect(await findRunning(dataDir)).toEqual(first.connection)
    await first.stop()

    await runProgram('chmod', ['755', dirname(dataDir)])
    const second = await embeddedDatabase({ dataDir })
    expect(await queryEmbedded(second.connection, 'SELECT id FROM notes')).toEqual([{ id: 1 }])
  })

  test('refuses to start empty when an existing database is inaccessible', async () => {
    const dataDir = await preparedDataFolder()
    await runProgram('chmod', ['700', dirname(dataDir)])
    await expect(startEmbedded({ dataDir, log: silentLog })).rejects.toMatchObject({
      message: expect.stringContaining(`can’t reach ${join(dataDir, 'pg18')}`),
      hint: expect.stringContaining(`chmod o+x '${dirname(dataDir)}'`),
    })
  })

  test('serves an ordinary user too', async () => {
    const dataDir = await dataFolder({ owner: 65534 })
    const first = databaseProcess(dataDir, { uid: 65534, writeFrom: 1 })
    const { pid } = await first.waitFor('ready')
    expect((await stat(`/proc/${pid}`)).uid).toBe(65534)
    await first.waitFor('acknowledged')
    first.kill()
    killQuietly(pid)
    await first.ended
    const second = databaseProcess(dataDir, { uid: 65534 })
    await second.waitFor('ready')
    expect(await second.stop()).toBe(0)
  })

  test('reports a folder that belongs to another user', async () => {
    const dataDir = await preparedDataFolder()
    const other = databaseProcess(dataDir, { uid: 65534 })
    expect(await other.waitFor('error')).toMatchObject({
      message: expect.stringContaining(`The data folder ${dataDir} can’t be used`),
      hint: expect.stringContaining('the user who runs Portico the owner'),
    })

    await chown(dataDir, 65534, 65534)
    const half = databaseProcess(dataDir, { uid: 65534 })
    expect((await half.waitFor('error')).hint).toContain('the user who runs Portico the owner')
  })

  test('provides a name for a user id without one, or says that it needs one', async () => {
    const uid = 987_654
    const dataDir = await dataFolder({ owner: uid })
    const canLend = await runProgram('unshare', ['--user', '--map-user=65534', 'true'], { identity: { uid, gid: uid } })
    const program = databaseProcess(dataDir, { uid })
    if (canLend.ok) {
      await program.waitFor('ready')
      expect(await program.stop()).toBe(0)
    } else {
      expect((await program.waitFor('error')).hint).toContain('/etc/passwd')
    }
  })
})
