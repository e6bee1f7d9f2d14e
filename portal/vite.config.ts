import { paraglideVitePlugin } from '@inlang/paraglide-js'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'
import { messages } from './tooling/messages.ts'
import { noInlineStyle } from './tooling/no-inline-style.ts'
import { strictPage } from './tooling/strict-page.ts'

export default defineConfig({
  plugins: [
    paraglideVitePlugin(messages),
    sveltekit({
      adapter: strictPage({ folder: 'build', page: 'index.html' }),
      preprocess: noInlineStyle(),
      paths: { relative: false },
      compilerOptions: { runes: ({ filename }) => !filename.includes('node_modules') || undefined },
    }),
  ],
  build: {
    // Inlined assets would be `data:` addresses, which the content security policy does not allow for fonts.
    assetsInlineLimit: 0,
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page needs, in two files instead of thirty: fewer requests, and it packs better.
            { name: 'base', test: /node_modules[\\/](svelte|@tanstack|clsx)[\\/]/ },
            // The words of channel settings are shared by their pages only, and come with those.
            {
              name: 'shared',
              test: /src[\\/](ui|paraglide(?![\\/]messages[\\/](manage|rights?|audit)_)|accounts|appearance|shell)[\\/]/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/portal/v1', '/media', '/connection'].map((path) => [
        path,
        { target: process.env['PORTICO_URL'] ?? 'http://localhost:3000', ws: path === '/connection' },
      ]),
    ),
  },
})
