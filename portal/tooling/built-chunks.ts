import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

interface Chunk {
  file: string
  name?: string
  imports?: string[]
  dynamicImports?: string[]
  css?: string[]
}

const ROOT = join(import.meta.dirname, '..')
const MANIFEST = '.svelte-kit/output/client/.vite/manifest.json'
const NODES = '.svelte-kit/generated/build/client-optimized/nodes'

/** The routes of the chat page. */
export const CHAT_ROUTES = [
  'src/routes/+layout.svelte',
  'src/routes/(app)/+layout.svelte',
  'src/routes/(app)/c/[channelId]/[roomId]/[[messageId]]/+page.svelte',
]

/** The routes of the sign-in page. */
export const SIGN_IN_ROUTES = [
  'src/routes/+layout.svelte',
  'src/routes/(open)/+layout.svelte',
  'src/routes/(open)/sign-in/+page.svelte',
]

/** The built files by source module. */
export interface BuiltChunks {
  /** The file of a source module. */
  fileOf(source: string): string
  /** The file of a source module, or of a group of them in vite.config.ts, and all of its static imports. */
  filesOf(source: string): string[]
  /** The same for a page or layout. */
  filesOfRoute(part: string): Promise<string[]>
  /** The same for a built file; nothing if it isn't a chunk. */
  filesWith(file: string): string[]
  /** The source modules that these built files load when they are needed. */
  lazilyLoadedBy(files: readonly string[]): string[]
}

export async function builtChunks(): Promise<BuiltChunks> {
  const manifest: Record<string, Chunk> = JSON.parse(await readFile(join(ROOT, MANIFEST), 'utf8'))
  const chunkOf = (key: string): Chunk => {
    const chunk = manifest[key] ?? Object.values(manifest).find(({ name }) => name === key)
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
    filesOfRoute: async (part) => filesOf(await nodeOf(part)),
    filesWith: (file) => Object.keys(manifest).flatMap((key) => (manifest[key]?.file === file ? filesOf(key) : [])),
    lazilyLoadedBy: (files) =>
      Object.values(manifest).flatMap(({ file, dynamicImports = [] }) => (files.includes(file) ? dynamicImports : [])),
  }
}

async function nodeOf(part: string): Promise<string> {
  for (const name of await readdir(join(ROOT, NODES))) {
    const source = await readFile(join(ROOT, NODES, name), 'utf8')
    if (source.includes(`/${part}`)) return `${NODES}/${name}`
  }
  throw new Error(`The build has no route ${part}`)
}
