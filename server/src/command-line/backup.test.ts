import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { Person } from '../../test/person.ts'
import { portico, startPortico } from '../../test/portico-process.ts'

const password = 'correct horse battery'

/** Each test starts server processes, which takes long on a busy machine. */
const PATIENT = { timeout: 300_000 }

describe('portico backup and restore', PATIENT, () => {
  test('copy a running portal with its people and its secret to another folder', async () => {
    const old = await dataFolder()
    const running = await startPortico({ PORTICO_DATA: old })
    await portico(['create-admin', 'Ада Новак'], { PORTICO_DATA: old }, `${password}\n`)
    const file = join(dirname(old), 'backups', 'backup.tar.gz')
    const written = await portico(['backup', file], { PORTICO_DATA: old })
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(`Wrote ${file}: `), stderr: '' })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await running.stop()

    const moved = await dataFolder()
    const restored = await portico(['restore', file], { PORTICO_DATA: moved })
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored the backup of \S+Z: \d+ rows/) })
    expect(await readFile(join(moved, 'secret'), 'utf8')).toBe(await readFile(join(old, 'secret'), 'utf8'))

    const { url, output } = await startPortico({ PORTICO_DATA: moved })
    expect(output()).not.toContain('set-up?code=')
    const ada = await new Person({ url }).post('/sessions', { name: 'ада новак', password })
    expect(ada).toMatchObject({ status: 201, body: { account: { isAdministrator: true } } })
  })

  test('replace nothing without --force, and nothing of a running portal', async () => {
    const data = await dataFolder()
    const running = await startPortico({ PORTICO_DATA: data })
    const file = join(dirname(data), 'backup.tar.gz')
    expect(await portico(['backup', file], { PORTICO_DATA: data })).toMatchObject({ code: 0 })
    const busy = await portico(['restore', file, '--force'], { PORTICO_DATA: data })
    expect(busy).toMatchObject({ code: 1, stderr: expect.stringContaining('Stop it first') })
    await running.stop()

    const refused = await portico(['restore', file], { PORTICO_DATA: data })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') })
    expect(await portico(['restore', file, '--force'], { PORTICO_DATA: data })).toMatchObject({ code: 0 })
  })

  test('change nothing if the file is not a backup', async () => {
    const data = await dataFolder()
    await mkdir(data)
    const file = join(dirname(data), 'letter.txt')
    await writeFile(file, 'Dear operator')
    const refused = await portico(['restore', file], { PORTICO_DATA: data })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was changed') })
    expect(await readdir(data)).not.toContain('secret')
  })

  test.each([
    ['restore', []],
    ['restore', ['one', 'two']],
    ['restore', ['file', '--fore']],
    ['backup', ['one', 'two']],
    ['backup', ['--help']],
  ])('%s %j prints the usage', async (command, args) => {
    const { code, stderr } = await portico([command, ...args], { PORTICO_DATA: '/nowhere' })
    expect(code).toBe(2)
    expect(stderr).toContain(`npx portico ${command}`)
  })
})
