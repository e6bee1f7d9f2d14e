import { Transform } from 'node:stream'

const MASKED = 0x80
const EPOCH = /("epoch":")([^"]+)(")/

/**
 * Between a browser and the server: the browser names another epoch of the event log than the one it knows, as if it had been away for
 * so long that nobody knows what it has missed. Only the frames of the first chunks can be those that subscribe; whatever
 * isn’t a whole frame passes as it is.
 */
export function forgetPosition(): Transform {
  let isDone = false
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (!isDone) isDone = changeEpoch(chunk)
      done(null, chunk)
    },
  })
}

/** Changes a masked text frame within a chunk in place. Returns whether there was one. */
export function changeEpoch(chunk: Buffer): boolean {
  for (let start = 0; start + 6 <= chunk.length;) {
    const short = (chunk[start + 1] ?? 0) & 0x7f
    const extended = short === 126 ? 2 : short === 127 ? 8 : 0
    const length = short === 126 ? chunk.readUInt16BE(start + 2) : short
    const maskAt = start + 2 + extended
    const payloadAt = maskAt + 4
    if (((chunk[start + 1] ?? 0) & MASKED) === 0 || short === 127 || payloadAt + length > chunk.length) return false
    const mask = chunk.subarray(maskAt, payloadAt)
    const payload = chunk.subarray(payloadAt, payloadAt + length)
    const text = masked(payload, mask).toString('latin1')
    const [, , epoch] = EPOCH.exec(text) ?? []
    if (epoch !== undefined) {
      const changed = text.replace(EPOCH, `$1${'z'.repeat(epoch.length)}$3`)
      masked(Buffer.from(changed, 'latin1'), mask).copy(payload)
      return true
    }
    start = payloadAt + length
  }
  return false
}

function masked(bytes: Buffer, mask: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0)))
}
