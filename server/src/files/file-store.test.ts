import dns from 'node:dns'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { atFileEnd } from '../../test/file-end.ts'
import { filesFolder } from '../../test/files-folder.ts'
import { serveHttp } from '../../test/proxy.ts'
import { S3Server, s3Program } from '../../test/s3.ts'
import { diskStore } from './disk-store.ts'
import { ContentError, newFileName, type FileStore } from './file-store.ts'
import { fileUrl, s3Store, type S3Address } from './s3-store.ts'

const SOME = Buffer.from('0123456789')
const LARGE = 3 * 1024 * 1024
const DOMAIN = 's3.test'

function addressOf(settings: S3Server['settings']): S3Address {
  return {
    endpoint: settings.S3_ENDPOINT,
    bucket: settings.S3_BUCKET,
    region: 'us-east-1',
    accessKeyId: settings.S3_ACCESS_KEY_ID,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
  }
}

let s3: S3Server | undefined

const KINDS: readonly { kind: string; isThere: boolean; open: () => Promise<FileStore> }[] = [
  { kind: 'a folder', isThere: true, open: async () => diskStore(await filesFolder()) },
  {
    kind: 'a bucket',
    isThere: s3Program !== undefined,
    open: async () => {
      s3 = await S3Server.start()
      atFileEnd(async () => s3?.end())
      return s3Store(addressOf(s3.settings))
    },
  },
  {
    kind: 'a bucket that is part of the host name',
    isThere: s3Program !== undefined,
    open: async () => {
      const server = await S3Server.start('--virtual-domain', DOMAIN)
      atFileEnd(() => server.end())
      resolveHere(DOMAIN)
      return s3Store({ ...addressOf(server.settings), endpoint: `http://{bucket}.${DOMAIN}:${server.port}` })
    },
  },
]

/** Lets the names below a domain lead to this machine, as a provider’s DNS would, until the end of the test file. */
function resolveHere(domain: string): void {
  const { lookup } = dns
  const spy = vi
    .spyOn(dns, 'lookup')
    .mockImplementation(((name: string, ...rest: [never]) =>
      lookup(name.endsWith(`.${domain}`) ? '127.0.0.1' : name, ...rest)) as typeof lookup)
  atFileEnd(async () => spy.mockRestore())
}

for (const { kind, isThere, open } of KINDS) {
  describe.skipIf(!isThere)(`file storage in ${kind}`, () => {
    let store: FileStore

    beforeAll(async () => {
      store = await open()
    })

    async function contentOf(name: string): Promise<Buffer | undefined> {
      const found = await store.get(name)
      return found && buffer(found.body)
    }

    test('returns what was stored', async () => {
      const [name, empty] = [newFileName(), newFileName()]
      await store.put(name, SOME, SOME.length)
      await store.put(empty, Buffer.alloc(0), 0)
      expect(await contentOf(name)).toEqual(SOME)
      expect(await contentOf(empty)).toEqual(Buffer.alloc(0))
    })

    test('stores and returns streams of any size', async () => {
      const name = newFileName()
      const chunk = Buffer.alloc(64 * 1024, 'abc')
      const chunks = Array.from({ length: LARGE / chunk.length }, () => chunk)
      await store.put(name, Readable.from(chunks, { objectMode: false }), LARGE)
      const found = await store.get(name)
      expect(found?.length).toBe(LARGE)
      expect((await contentOf(name))?.equals(Buffer.concat(chunks))).toBe(true)
      found?.body.destroy()
    })

    test('returns a part of a file', async () => {
      const name = newFileName()
      await store.put(name, SOME, SOME.length)
      const found = await store.get(name, { start: 2, end: 4 })
      expect(found?.length).toBe(3)
      expect(found && (await buffer(found.body)).toString()).toBe('234')
    })

    test('has no file that was deleted or never stored, and deletes both', async () => {
      const [kept, deleted, never] = [newFileName(), newFileName(), newFileName()]
      await store.put(kept, SOME, SOME.length)
      await store.put(deleted, SOME, SOME.length)
      await store.delete([deleted, never])
      expect(await store.get(deleted)).toBeUndefined()
      expect(await store.get(never)).toBeUndefined()
      expect(await contentOf(kept)).toEqual(SOME)
    })

    test('stores nothing of content that is too short, too long or breaks off', async () => {
      const broken = async function* () {
        yield SOME
        throw new Error('the client is gone')
      }
      for (const content of [Readable.from([SOME]), Readable.from([SOME, SOME, SOME]), Readable.from(broken())]) {
        const name = newFileName()
        await expect(store.put(name, content, 2 * SOME.length)).rejects.toThrow(ContentError)
        expect(await store.get(name)).toBeUndefined()
      }
    })

    test('stores and deletes many files at once', async () => {
      const names = Array.from({ length: 40 }, newFileName)
      const [kept, deleted] = [names.slice(0, 20), names.slice(20)]
      await Promise.all(deleted.map((name) => store.put(name, Buffer.from(name), name.length)))
      await Promise.all([
        ...kept.map((name) => store.put(name, Buffer.from(name), name.length)),
        store.delete(deleted),
        store.delete(deleted.toReversed()),
      ])
      for (const name of kept) expect(String(await contentOf(name))).toBe(name)
      for (const name of deleted) expect(await store.get(name)).toBeUndefined()
    })

    test('accepts no other names than its own', async () => {
      const names = ['', '.', '../secret', `${newFileName()}/../x`, '/etc/passwd', 'A'.repeat(32), `${newFileName()}\n`]
      for (const name of names) {
        await expect(store.get(name)).rejects.toThrow('not the name of a stored file')
        await expect(store.put(name, SOME, SOME.length)).rejects.toThrow('not the name of a stored file')
        await expect(store.delete([name])).rejects.toThrow('not the name of a stored file')
      }
    })
  })
}

describe('file storage in a folder', () => {
  test('is readable only for its owner, and has no temporary files left', async () => {
    const folder = await filesFolder()
    const store = diskStore(folder)
    const name = newFileName()
    await store.put(name, SOME, SOME.length)
    await store.put(newFileName(), Readable.from([SOME]), 1).catch(() => undefined)
    const path = join(folder, name.slice(0, 2), name.slice(2, 4), name)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    expect(entries.filter((entry) => entry.isFile()).map((entry) => entry.name)).toEqual([name])
  })

  test('never makes a folder that should have been mounted', async () => {
    const folder = join(await filesFolder(), 'not-mounted')
    await expect(diskStore(folder).put(newFileName(), SOME, SOME.length)).rejects.toThrow('ENOENT')
  })
})

describe('file storage in a bucket', () => {
  const key = { bucket: 'files', region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'very secret' }

  test('addresses the bucket in the path, or in the host name', () => {
    const name = newFileName()
    expect(fileUrl({ endpoint: 'https://s3.example/', bucket: 'files' }, name)).toBe(`https://s3.example/files/${name}`)
    expect(fileUrl({ endpoint: 'https://{bucket}.s3.example', bucket: 'files' }, name)).toBe(
      `https://files.s3.example/${name}`,
    )
  })

  test.skipIf(s3Program === undefined)('can be read only with the key', async () => {
    if (!s3) throw new Error('The S3 server was not started')
    const address = addressOf(s3.settings)
    const name = newFileName()
    await s3Store(address).put(name, SOME, SOME.length)
    expect((await fetch(fileUrl(address, name))).status).toBe(403)
    const wrong = s3Store({ ...address, secretAccessKey: 'a wrong secret' })
    const refused = await wrong.get(name).catch(String)
    expect(refused).toBe('Error: the storage answered 403 SignatureDoesNotMatch')
  })

  test('repeats requests that fail, but not without end', async () => {
    const answers = [503, 500, 200]
    let requests = 0
    const endpoint = await serveHttp((request, response) => {
      requests += 1
      request.resume()
      request.once('end', () => response.writeHead(answers.shift() ?? 500).end())
    })
    const store = s3Store({ ...key, endpoint })
    await store.put(newFileName(), SOME, SOME.length)
    expect(requests).toBe(3)
    await expect(store.get(newFileName())).rejects.toThrow('the storage answered 500')
    expect(requests).toBe(6)
    // A stream can be read only once.
    await expect(store.put(newFileName(), Readable.from([SOME]), SOME.length)).rejects.toThrow('answered 500')
    expect(requests).toBe(7)
  })

  test('gives up on storage that is silent, at once or in the middle of a file', async () => {
    const silent = await serveHttp(() => {})
    const stalling = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-length': 20 }).write(SOME)
    })
    const found = await s3Store({ ...key, endpoint: stalling }).get(newFileName())
    const [first, second, third] = await Promise.allSettled([
      s3Store({ ...key, endpoint: silent }).get(newFileName()),
      s3Store({ ...key, endpoint: silent }).put(newFileName(), Readable.from([SOME]), SOME.length),
      found && buffer(found.body),
    ])
    for (const { status, reason } of [first, second, third] as PromiseRejectedResult[]) {
      expect(status).toBe('rejected')
      expect(String(reason)).toContain('no answer within 5000 ms')
    }
  })

  test('never takes a part of a file for the whole', async () => {
    const endpoint = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-length': 20 }).write(SOME, () => response.destroy())
    })
    const found = await s3Store({ ...key, endpoint }).get(newFileName())
    await expect(found && buffer(found.body)).rejects.toThrow()
  })
})
