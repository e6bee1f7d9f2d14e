import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
}

const ROOT = join(import.meta.dirname, '..')
const MANIFEST = '.svelte-kit/output/client/.vite/manifest.json'
const NODES = '.svelte-kit/generated/build/client-optimized/nodes'

/** What the chat page is made of, beside what every page loads. */
export const CHAT_PARTS = [
  'src/routes/+layout.svelte',
  'src/routes/(app)/+layout.svelte',
  'src/routes/(app)/c/[channelId]/[roomId]/[[messageId]]/+page.svelte',
]

/** The files of the build, by what they were made of. */
export interface BuiltChunks {
  /** The file that was made of a source, alone. */
  fileOf(source: string): string
  /** With everything that has to be loaded before it runs. */
  filesOf(source: string): string[]
  /** The same for a page or layout. */
  filesOfPart(part: string): Promise<string[]>
  /** The same for a file of the build, or only that file where it is no part of the program. */
  filesWith(file: string): string[]
}

export async function builtChunks(): Promise<BuiltChunks> {
  const manifest: Record<string, Chunk> = JSON.parse(await readFile(join(ROOT, MANIFEST), 'utf8'))
  const chunkOf = (key: string): Chunk => {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`The build has no ${key}`)
    return chunk
  }
  const filesOf = (key: string, found = new Set<string>()): string[] => {
    const { file, css = [], imports = [] } = chunkOf(key)
    if (found.has(file)) return []
    for (const one of [file, ...css]) found.add(one)
    for (const imported of imports) filesOf(imported, found)
    return [...found]
  }
  return {
    fileOf: (source) => chunkOf(source).file,
    filesOf: (source) => filesOf(source),
    filesOfPart: async (part) => filesOf(await nodeOf(part)),
    filesWith: (file) => Object.keys(manifest).flatMap((key) => (manifest[key]?.file === file ? filesOf(key) : [])),
  }
}

async function nodeOf(part: string): Promise<string> {
  for (const name of await readdir(join(ROOT, NODES))) {
    const source = await readFile(join(ROOT, NODES, name), 'utf8')
    if (source.includes(`/${part}`)) return `${NODES}/${name}`
  }
  throw new Error(`No part of the build holds ${part}`)
}
