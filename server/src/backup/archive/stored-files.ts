import { Readable } from 'node:stream'
import type { FileContent, FileStore } from '../../files/file-store.ts'
import type { TarEntry } from './read-tar.ts'
import { tarHeader, tarPadding } from './write-tar.ts'

/** A file of the file storage as an archive entry. */
export async function* packStored(name: string, { length, body }: FileContent, now: Date): AsyncGenerator<Buffer> {
  yield tarHeader(`stored/${name}`, length, now)
  let read = 0
  for await (const part of body) {
    read += part.length
    yield part
  }
  if (read !== length) throw new Error(`the stored file ${name} has ${read} bytes instead of ${length}`)
  yield tarPadding(length)
}

/** Returns whether the file was added. One of the same name is the same file, which the replaced database may refer to. */
export async function unpackStored(store: FileStore, { name, size, content }: TarEntry): Promise<boolean> {
  const present = await store.get(name)
  present?.body.destroy()
  if (present?.length === size) {
    await Readable.from(content).forEach(() => undefined)
    return false
  }
  await store.put(name, Readable.from(content, { objectMode: false }), size)
  return true
}
