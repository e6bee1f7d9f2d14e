/** Each field is either a value that is read when it is needed, or a list that is streamed. */
export type JsonFields = Readonly<Record<string, (() => Promise<unknown>) | AsyncIterable<unknown>>>

/** Streams one JSON object in chunks, with at most one chunk in memory. */
export async function* jsonObject(parts: JsonFields): AsyncGenerator<string> {
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
