import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noInlineStyle } from './no-inline-style.ts'
import * as plainValues from './plain-values.ts'
import * as tabStorage from './tab-storage.ts'

const RUNTIME = join(dirname(createRequire(import.meta.url).resolve('@sveltejs/kit/package.json')), 'src/runtime')

function source(file: string): Promise<string> {
  return readFile(join(RUNTIME, file), 'utf8')
}

function used(module: string, code: string): string[] {
  return [...new Set([...code.matchAll(new RegExp(`\\b${module}\\.(\\w+)\\(`, 'g'))].flatMap(([, name]) => name ?? []))]
}

/** Fails when an update of SvelteKit moves what the build replaces: see docs/decisions/0019-sveltekit-at-build-time.md. */
describe('SvelteKit modules that the build replaces', () => {
  test.each(['client/client.js', 'form-utils.js', 'shared.js'])(
    '%s imports devalue for what we provide',
    async (file) => {
      const code = await source(file)

      expect(code).toContain("import * as devalue from 'devalue'")
      for (const name of used('devalue', code)) expect(plainValues).toHaveProperty(name)
    },
  )

  test.each(['client/client.js', 'client/snapshots.js'])(
    '%s stores its history in session-storage.js',
    async (file) => {
      const code = await source(file)

      expect(code).toContain("import * as storage from './session-storage.js'")
      for (const name of used('storage', code)) expect(tabStorage).toHaveProperty(name)
    },
  )

  test('root.svelte hides its announcer with one style attribute', async () => {
    const filename = '@sveltejs/kit/src/runtime/components/root.svelte'
    const content = await source('components/root.svelte')

    const result = await noInlineStyle().markup?.({ content, filename })

    expect(content).toMatch(/\sstyle="/)
    expect(result?.code).not.toMatch(/\sstyle="/)
  })

  test('no other component may have a style attribute', () => {
    const content = '<p style="color: red">'

    expect(() => noInlineStyle().markup?.({ content, filename: 'Own.svelte' })).toThrow('has a style attribute')
  })
})
