import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** What a browser may have to fetch, gzipped, before it shows the shell. Everything else is loaded when asked for. */
const BUDGET = { js: 90_000, css: 10_000 }

const PARTS = [
  'src/routes/+layout.svelte',
  'src/routes/(app)/+layout.svelte',
  'src/routes/(app)/c/[channelId]/[roomId]/[[messageId]]/+page.svelte',
]

interface Chunk {
  file: string
  src?: string
  isEntry?: boolean
  imports?: string[]
  css?: string[]
}

const root = join(import.meta.dirname, '..')
const build = join(root, 'build')
const nodes = join(root, '.svelte-kit/generated/build/client-optimized/nodes')

const manifest: Record<string, Chunk> = JSON.parse(
  await readFile(join(root, '.svelte-kit/output/client/.vite/manifest.json'), 'utf8'),
)

const loaded = new Set<string>()

function load(key: string): void {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`The build has no ${key}`)
  if (loaded.has(chunk.file)) return
  loaded.add(chunk.file)
  for (const file of chunk.css ?? []) loaded.add(file)
  for (const imported of chunk.imports ?? []) load(imported)
}

async function nodeOf(part: string): Promise<string> {
  for (const name of await readdir(nodes)) {
    const source = await readFile(join(nodes, name), 'utf8')
    if (source.includes(`/${part}`)) return `.svelte-kit/generated/build/client-optimized/nodes/${name}`
  }
  throw new Error(`No part of the build holds ${part}`)
}

async function sizeOf(files: string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(join(build, file))).length))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const page = await readFile(join(build, 'index.html'), 'utf8')
for (const [, file] of page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)) if (file) loaded.add(file)
for (const [key, { file }] of Object.entries(manifest)) if (loaded.delete(file)) load(key)
for (const part of PARTS) load(await nodeOf(part))

const files = [...loaded]
let over = false
for (const kind of ['js', 'css'] as const) {
  const size = await sizeOf(files.filter((file) => file.endsWith(`.${kind}`)))
  const fits = size <= BUDGET[kind]
  over ||= !fits
  console.log(
    `First load, ${kind}: ${(size / 1000).toFixed(1)} of ${BUDGET[kind] / 1000} kB gzipped${fits ? '' : ' — too much'}`,
  )
}
if (over) process.exitCode = 1
