const block = 512

export interface TarEntry {
  name: string
  size: number
  /** Must be read to its end before the next entry. */
  content: AsyncIterable<Buffer>
}

/** Streams an archive of plain files. Fails on a truncated archive. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteQueue(source)
  for (;;) {
    const header = await bytes.take(block)
    if (header.every((byte) => byte === 0)) return bytes.drain()
    const { name, size } = parseHeader(header)
    yield { name, size, content: bytes.stream(size) }
    await bytes.take((block - (size % block)) % block)
  }
}

export async function readAll(content: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of content) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (from: number, length: number) => header.toString('utf8', from, from + length).replace(/\0.*$/s, '')
  const recorded = Number.parseInt(text(148, 8), 8)
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0)
  if (recorded !== sum || text(257, 5) !== 'ustar') throw new Error('this is not a tar archive, or it is damaged')
  const prefix = text(345, 155)
  const name = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
  if (text(156, 1) !== '0') throw new Error(`${name} is not a plain file`)
  return { name, size: Number.parseInt(text(124, 12), 8) }
}

/** Reads a stream in requested sizes. */
class ByteQueue {
  private rest: Buffer = Buffer.alloc(0)
  private readonly source: AsyncIterator<Buffer>

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]()
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.stream(length)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** Reads the rest, so that the checksum of the compression at the end is verified. */
  async drain(): Promise<void> {
    while (!(await this.source.next()).done);
  }

  async *stream(length: number): AsyncGenerator<Buffer> {
    for (let wanted = length; wanted > 0;) {
      if (this.rest.length === 0) {
        const next = await this.source.next()
        if (next.done) throw new Error('the archive is truncated')
        this.rest = next.value
      }
      const part = this.rest.subarray(0, wanted)
      this.rest = this.rest.subarray(part.length)
      wanted -= part.length
      yield part
    }
  }
}
