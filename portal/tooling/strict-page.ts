import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import adapterStatic from '@sveltejs/adapter-static'
import type { Adapter } from '@sveltejs/kit'
import { minifySync } from 'vite'
import { builtChunks, CHAT_ROUTES, SIGN_IN_ROUTES } from './built-chunks.ts'
import { writeShell } from './shell-files.ts'

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g
const INLINE_ANYTHING = /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i
const EARLY = 'early.js'
const PRELOADS = 'const PRELOADS = { room: [], signIn: [] }'
const START = 'kit.start(app, element)'

/** Loaded lazily by the chat page, but needed for its first message. */
const LOADED_NEXT = ['markdown']
const FONT = '../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'

/**
 * SvelteKit's single page for a Content Security Policy of `script-src 'self'`: its inline bootstrap becomes a file, and
 * anything else inline fails the build instead of failing in the browser.
 */
export function strictPage({ folder, page }: { folder: string; page: string }): Adapter {
  const inner = adapterStatic({ pages: folder, fallback: page })
  return {
    name: 'portico-strict-page',
    async adapt(builder) {
      await inner.adapt(builder)
      const file = join(folder, page)
      const html = await withHashedEarlyScript(await readFile(file, 'utf8'), folder)
      const strict = await withoutInlineScript(html, folder)
      await writeFile(file, strict)
      await writeShell(folder, strict)
      await builder.compress(folder)
    },
  }
}

/** Gives the early script a hashed name, so that browsers cache it, and the lists of files that pages load. */
async function withHashedEarlyScript(html: string, folder: string): Promise<string> {
  const source = await readFile(join(folder, EARLY), 'utf8')
  const files = JSON.stringify(await filesToPreload(html))
  if (!source.includes(PRELOADS)) throw new Error(`${EARLY} has no list of files to preload`)
  const path = await writeHashed(
    folder,
    'early',
    source.replace(PRELOADS, () => `const PRELOADS = ${files}`),
  )
  await rm(join(folder, EARLY))
  const tag = `src="/${EARLY}"`
  if (!html.includes(tag)) throw new Error(`The page does not load ${EARLY}`)
  return html.replace(tag, `src="/${path}"`)
}

async function filesToPreload(html: string): Promise<Record<'room' | 'signIn', string[]>> {
  const chunks = await builtChunks()
  const filesOf = async (routes: readonly string[], more: readonly string[] = []): Promise<string[]> => {
    const parts = await Promise.all(routes.map(chunks.filesOfRoute))
    const files = [chunks.fileOf(FONT), ...[...parts, ...more.map(chunks.filesOf)].flat()]
    return [...new Set(files)].filter((file) => !html.includes(file)).map((file) => `/${file}`)
  }
  return { room: await filesOf(CHAT_ROUTES, LOADED_NEXT), signIn: await filesOf(SIGN_IN_ROUTES) }
}

async function withoutInlineScript(html: string, folder: string): Promise<string> {
  const scripts = [...html.matchAll(INLINE_SCRIPT)]
  const [bootstrap] = scripts
  if (bootstrap?.[1] === undefined || scripts.length > 1) {
    throw new Error(`Expected one inline script in the page, found ${scripts.length}`)
  }
  if (!bootstrap[1].includes(START)) throw new Error(`The page’s script does not contain ${START}`)
  // On some pages, the early script finds out where the app starts.
  const boot = bootstrap[1].replace(START, () => `await globalThis.porticoStart;\n${START}`)
  const path = await writeHashed(folder, 'boot', `${boot.trim()}\n`)
  const strict = html.replace(bootstrap[0], `<script src="/${path}"></script>`)
  const left = INLINE_ANYTHING.exec(strict)
  if (left) throw new Error(`The page still has something inline: ${strict.slice(left.index, left.index + 80)}`)
  return strict
}

/** Under a name with a hash of its content, browsers cache a file forever. */
async function writeHashed(folder: string, name: string, source: string): Promise<string> {
  const { code } = minifySync(`${name}.js`, source)
  const hash = createHash('sha256').update(code).digest('base64url').slice(0, 8)
  const path = `_app/immutable/entry/${name}.${hash}.js`
  await writeFile(join(folder, path), code)
  return path
}
