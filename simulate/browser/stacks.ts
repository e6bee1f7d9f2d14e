import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { join } from 'node:path'

const FRAME = /https?:\/\/[^\s/]+\/(_app\/immutable\/[\w./-]+):(\d+):(\d+)/g

/** Where the source maps of a built portal are. */
export type FindMap = (file: string) => Promise<string>

/** Replaces the places in built files by those in the source code. */
export async function resolveStack(stack: string, findMap: FindMap): Promise<string> {
  const maps = new Map<string, SourceMap | undefined>()
  for (const [, file = ''] of stack.matchAll(FRAME)) {
    if (maps.has(file)) continue
    const text = await findMap(file).catch(() => undefined)
    maps.set(file, text === undefined ? undefined : new SourceMap(JSON.parse(text) as SourceMapPayload))
  }
  return stack.replaceAll(FRAME, (frame, file: string, line: string, column: string) => {
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (!entry || !('originalSource' in entry)) return frame
    const source = entry.originalSource
      .replace(/^.*?(portal\/src|node_modules|\.svelte-kit)\//, '$1/')
      .replace(/^(\.\.\/)+src\//, 'portal/src/')
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })
}

/** The maps that were built with the portal of a copy. */
export function mapsOf(checkout: string): FindMap {
  return (file) => readFile(join(checkout, 'portal/build', `${file}.map`), 'utf8')
}

/** Changes when the built portal does. */
export async function buildOf(checkout: string): Promise<string> {
  const page = await readFile(join(checkout, 'portal/build/index.html'))
  return createHash('sha256').update(page).digest('hex').slice(0, 12)
}
