import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import adapterStatic from '@sveltejs/adapter-static'
import type { Adapter } from '@sveltejs/kit'

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g
const INLINE_ANYTHING = /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i

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
      await writeFile(file, await withoutInlineScript(await readFile(file, 'utf8'), folder))
      await builder.compress(folder)
    },
  }
}

async function withoutInlineScript(html: string, folder: string): Promise<string> {
  const scripts = [...html.matchAll(INLINE_SCRIPT)]
  const [bootstrap] = scripts
  if (bootstrap?.[1] === undefined || scripts.length > 1) {
    throw new Error(`Expected one inline script in the page, found ${scripts.length}`)
  }
  const source = bootstrap[1].trim()
  const path = `_app/immutable/entry/boot.${createHash('sha256').update(source).digest('base64url').slice(0, 8)}.js`
  await writeFile(join(folder, path), `${source}\n`)

  const strict = html.replace(bootstrap[0], `<script src="/${path}"></script>`)
  const left = INLINE_ANYTHING.exec(strict)
  if (left) throw new Error(`The page still has something inline: ${strict.slice(left.index, left.index + 80)}`)
  return strict
}
