import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isRoot } from '../../../test/data-folder.ts'
import { bundledFolder, findBinaries } from './binaries.ts'
import { linkLibraries } from './bundled-package.ts'
import { runProgram } from './run-program.ts'

const installed = bundledFolder()
const identity = isRoot ? { uid: 65534, gid: 65534 } : {}

/** The bundled package as `npm install --ignore-scripts` leaves it: without a single link. */
async function freshPackage() {
  const folder = await mkdtemp(join(tmpdir(), 'portico package '))
  onTestFinished(async () => {
    await runProgram('chmod', ['-R', 'u+rwX', folder])
    await rm(folder, { recursive: true })
  })
  await chmod(folder, 0o755)
  const native = join(folder, 'package', 'native')
  const links: { target: string }[] = JSON.parse(await readFile(join(installed!, 'pg-symlinks.json'), 'utf8'))
  const linked = new Set(links.map(({ target }) => join(dirname(installed!), target)))
  await cp(installed!, native, { recursive: true, filter: (path) => !linked.has(path) && !path.endsWith('.a') })
  await cp(join(installed!, '../package.json'), join(native, '../package.json'))
  const copyTo = join(folder, 'copies')
  await mkdir(copyTo)
  const steps: string[] = []
  const find = (bundled: string | undefined = native) =>
    findBinaries({ identity, copyTo, wanted: [], bundled, progress: (text) => steps.push(text) })
  return { folder, native, copyTo, steps, find }
}

describe.runIf(installed)('findBinaries', () => {
  test('creates the missing library links, even when several processes do so concurrently', async () => {
    const { native, find, steps } = await freshPackage()
    await expect(runProgram(join(native, 'bin/initdb'), ['--version'])).resolves.toMatchObject({ ok: false })
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => linkLibraries(native)))
    expect(outcomes).toEqual([true, true, true, true])
    await expect(runProgram(join(native, 'bin/initdb'), ['--version'])).resolves.toMatchObject({ ok: true })
    expect(await find()).toMatchObject({ major: 18, postgres: join(native, 'bin/postgres') })
    expect(steps).toEqual([])
  })

  test.skipIf(isRoot)('copies a read-only package', async () => {
    const { native, copyTo, find, steps } = await freshPackage()
    await runProgram('chmod', ['-R', 'a-w', native])
    expect((await find()).postgres.startsWith(copyTo)).toBe(true)
    expect((await find()).postgres.startsWith(copyTo)).toBe(true)
    expect(steps).toHaveLength(1)
  })

  test.runIf(isRoot)('copies a package out of a folder that the database user cannot enter, once', async () => {
    const { native, copyTo, find, steps } = await freshPackage()
    await chmod(dirname(native), 0o700)
    await mkdir(join(copyTo, 'copy-of-a-killed-start'))
    const found = await find()
    expect(found.postgres.startsWith(copyTo)).toBe(true)
    await expect(runProgram(found.initdb, ['--version'], { identity })).resolves.toMatchObject({ ok: true })
    await find()
    expect(steps).toEqual(['copying the PostgreSQL programs to where the database user can run them (once)…'])
    expect(await readdir(copyTo)).toHaveLength(1)
  })

  test('reports the cause and a hint if no PostgreSQL runs', async () => {
    const { native, copyTo } = await freshPackage()
    for (const program of ['postgres', 'initdb']) await writeFile(join(native, 'bin', program), '#!/bin/nowhere\n')
    const none = { identity, copyTo, wanted: [], progress: () => {}, systemRoot: join(copyTo, 'none') }
    await expect(findBinaries({ ...none, bundled: native })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('the bundled PostgreSQL does not run here'),
      hint: expect.stringContaining('DATABASE_URL'),
    })
    await expect(findBinaries(none)).rejects.toMatchObject({
      message: expect.stringContaining('no bundled PostgreSQL is installed'),
    })
  })
})
