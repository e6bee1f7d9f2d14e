/** Each field is either a value that is read when it is needed, or a list that is streamed. */
export type JsonFields = Readonly<Record<string, (() => Promise<unknown>) | AsyncIterable<unknown>>>

/** In characters. Each chunk is a write of its own, which costs more than a row. */
const CHUNK = 65_536

/** Streams one JSON object in chunks, with at most one chunk and one page of a list in memory. */
export async function* jsonObject(parts: JsonFields): AsyncGenerator<string> {
  let chunk = ''
  for await (const piece of piecesOf(parts)) {
    chunk += piece
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

async function* piecesOf(parts: JsonFields): AsyncGenerator<string> {
  let before = '{\n'
  for (const [name, part] of Object.entries(parts)) {
    yield `${before}${JSON.stringify(name)}: `
    if (typeof part === 'function') yield JSON.stringify(await part(), null, 2)
    else yield* jsonList(part)
    before = ',\n'
  }
  yield '\n}\n'
}

async function* jsonList(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[\n'
  let empty = true
  for await (const item of items) {
    yield before + JSON.stringify(item)
    before = ',\n'
    empty = false
  }
  yield empty ? '[]' : '\n]'
}
