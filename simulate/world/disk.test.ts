import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Disk, emptyFolder } from './disk.ts'

test('Disk has no space while it is full, keeps what is on it, and can be used again', async ({ skip }) => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-disk-'))
  const inside = join(folder, 'data')
  onTestFinished(async () => {
    await emptyFolder(folder, [inside])
    await rm(folder, { recursive: true })
  })
  const options = { fault: 'fill-disk', group: 'disk', folder: inside }
  const mounted = await Disk.mount(options).catch((error: Error) => skip(error.message))
  let order = ''
  mounted.beforeFull = () => (order += 'full ')
  mounted.recover = async () => void (order += 'recovered')
  const path = join(mounted.folder, 'file')
  await writeFile(path, 'x'.repeat(10_000))
  await mounted.fill()
  await expect(writeFile(`${path}2`, 'x'.repeat(10_000))).rejects.toThrow('ENOSPC')
  await mounted.free()
  await writeFile(`${path}2`, 'x'.repeat(10_000))
  expect((await readFile(path)).length).toBe(10_000)
  expect(order).toBe('full recovered')
})
