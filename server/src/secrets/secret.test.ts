import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { StartError } from '../db/start-error.ts'
import { openSecret } from './secret.ts'

describe('openSecret', () => {
  test('creates a secret on the first start, readable only by its owner, and reuses it', async () => {
    const PORTICO_DATA = await dataFolder()
    const first = await openSecret({ PORTICO_DATA, PORTICO_SECRET: null })
    const again = await openSecret({ PORTICO_DATA, PORTICO_SECRET: null })

    expect(first.key('tokens')).toHaveLength(32)
    expect(again.key('tokens')).toEqual(first.key('tokens'))
    expect((await stat(join(PORTICO_DATA, 'secret'))).mode & 0o777).toBe(0o600)
    expect(await readdir(PORTICO_DATA)).toEqual(['secret'])
  })

  test('derives a different key for each purpose, none of them the secret itself', async () => {
    const PORTICO_SECRET = 'a secret of our own, long enough'
    const { key } = await openSecret({ PORTICO_DATA: '/nowhere', PORTICO_SECRET })
    expect(key('tokens')).not.toEqual(key('webhooks'))
    expect(key('tokens').toString()).not.toContain(PORTICO_SECRET)
  })

  test('is the same for all processes that start concurrently', async () => {
    const PORTICO_DATA = await dataFolder()
    const opened = await Promise.all(
      Array.from({ length: 8 }, () => openSecret({ PORTICO_DATA, PORTICO_SECRET: null })),
    )
    expect(new Set(opened.map(({ key }) => key('tokens').toString('hex'))).size).toBe(1)
  })

  test('refuses an incomplete secret, and leaves the file alone', async () => {
    const PORTICO_DATA = await dataFolder()
    await mkdir(PORTICO_DATA)
    await writeFile(join(PORTICO_DATA, 'secret'), '')
    await expect(openSecret({ PORTICO_DATA, PORTICO_SECRET: null })).rejects.toThrow(StartError)
    expect(await readFile(join(PORTICO_DATA, 'secret'), 'utf8')).toBe('')
  })

  test.skipIf(process.getuid?.() === 0)('hints at what to do where it may not be read', async () => {
    const PORTICO_DATA = await dataFolder()
    await openSecret({ PORTICO_DATA, PORTICO_SECRET: null })
    await chmod(join(PORTICO_DATA, 'secret'), 0)
    await expect(openSecret({ PORTICO_DATA, PORTICO_SECRET: null })).rejects.toMatchObject({
      hint: expect.stringContaining('as the user who runs Portico'),
    })
  })
})
