import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import adapterStatic from '@sveltejs/adapter-static'
import type { Adapter } from '@sveltejs/kit'
import { builtChunks, CHAT_PARTS } from './built-chunks.ts'

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g
const INLINE_ANYTHING = /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i
const EARLY = 'early.js'
const AHEAD = 'const AHEAD = []'

/** Loaded by the chat page on its own account, behind its first files and before its first message. */
const SOON = ['src/markdown/Markdown.svelte', 'src/messages/Composer.svelte']
const FONT = '../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'

/**
 * SvelteKit's single page, fit for a policy of `script-src 'self'`: its inline bootstrap becomes a file, and a page
 * with anything else inline fails the build instead of failing in the browser.
 */
export function strictPage({ folder, page }: { folder: string; page: string }): Adapter {
  const inner = adapterStatic({ pages: folder, fallback: page })
  return {
    name: 'portico-strict-page',
    async adapt(builder) {
      await inner.adapt(builder)
      const file = join(folder, page)
      const html = await withLastingEarly(await readFile(file, 'utf8'), folder)
      await writeFile(file, await withoutInlineScript(html, folder))
      await builder.compress(folder)
    },
  }
}

/** The script that runs first need not be asked for at every visit, and knows what the page of a room will load. */
async function withLastingEarly(html: string, folder: string): Promise<string> {
  const source = await readFile(join(folder, EARLY), 'utf8')
  const links = JSON.stringify(await linksAhead(html))
  if (!source.includes(AHEAD)) throw new Error(`${EARLY} has no place for what is loaded ahead`)
  const path = await writeLasting(
    folder,
    'early',
    source.replace(AHEAD, () => `const AHEAD = ${links}`),
  )
  await rm(join(folder, EARLY))
  const tag = `src="/${EARLY}"`
  if (!html.includes(tag)) throw new Error(`The page does not load ${EARLY}`)
  return html.replace(tag, `src="/${path}"`)
}

async function linksAhead(html: string): Promise<object[]> {
  const chunks = await builtChunks()
  const parts = await Promise.all(CHAT_PARTS.map(chunks.filesOfPart))
  const files = new Set([...parts, ...SOON.map(chunks.filesOf)].flat().filter((file) => !html.includes(file)))
  const font = { rel: 'preload', as: 'font', crossOrigin: '', href: `/${chunks.fileOf(FONT)}` }
  return [font, ...[...files].map((file) => ({ ...kindOf(file), href: `/${file}` }))]
}

function kindOf(file: string): object {
  return { rel: file.endsWith('.css') ? 'stylesheet' : 'modulepreload' }
}

async function withoutInlineScript(html: string, folder: string): Promise<string> {
  const scripts = [...html.matchAll(INLINE_SCRIPT)]
  const [bootstrap] = scripts
  if (bootstrap?.[1] === undefined || scripts.length > 1) {
    throw new Error(`Expected one inline script in the page, found ${scripts.length}`)
  }
  const path = await writeLasting(folder, 'boot', `${bootstrap[1].trim()}\n`)
  const strict = html.replace(bootstrap[0], `<script src="/${path}"></script>`)
  const left = INLINE_ANYTHING.exec(strict)
  if (left) throw new Error(`The page still has something inline: ${strict.slice(left.index, left.index + 80)}`)
  return strict
}

/** Under a name that changes with what is in it, browsers keep a file for ever. */
async function writeLasting(folder: string, name: string, source: string): Promise<string> {
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
  const path = `_app/immutable/entry/${name}.${hash}.js`
  await writeFile(join(folder, path), source)
  return path
}
