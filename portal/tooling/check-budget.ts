import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { builtChunks, CHAT_ROUTES } from './built-chunks.ts'

/** The most that a browser may have to load, gzipped, before it shows the chat. Everything else is loaded on demand. */
const BUDGET = { js: 90_000, css: 10_000 }

const build = join(import.meta.dirname, '../build')

async function sizeOf(files: string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(join(build, file))).length))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const chunks = await builtChunks()
const page = await readFile(join(build, 'index.html'), 'utf8')
const named = [...page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].flatMap(([, file]) => file ?? [])
const loaded = new Set([...named, ...named.flatMap(chunks.filesWith)])
for (const part of CHAT_ROUTES) for (const file of await chunks.filesOfRoute(part)) loaded.add(file)

const files = [...loaded]
let over = false
for (const kind of ['js', 'css'] as const) {
  const size = await sizeOf(files.filter((file) => file.endsWith(`.${kind}`)))
  const fits = size <= BUDGET[kind]
  over ||= !fits
  console.log(
    `First load, ${kind}: ${(size / 1000).toFixed(1)} of ${BUDGET[kind] / 1000} kB gzipped${fits ? '' : ' — over budget'}`,
  )
}
if (over) process.exitCode = 1
