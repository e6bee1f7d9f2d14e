/** Each part is either read whole when its turn comes, or a list that comes bit by bit. */
export type JsonFields = Readonly<Record<string, (() => Promise<unknown>) | AsyncIterable<unknown>>>

/** One JSON object in pieces, of which no more than one is in memory. */
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
