/** Far more than any delivery contains. A longer body isn't from the portal and is refused before it fills the memory. */
const MOST_BYTES = 1024 * 1024

/** Reads a body; undefined if it is too long to be a delivery. */
export async function readBody(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > MOST_BYTES) return undefined
    parts.push(chunk)
  }
  const body = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    body.set(part, at)
    at += part.length
  }
  return body
}
