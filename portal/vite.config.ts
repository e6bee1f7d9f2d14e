import { paraglideVitePlugin } from '@inlang/paraglide-js'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'
import { messages } from './tooling/messages.ts'
import { strictPage } from './tooling/strict-page.ts'

export default defineConfig({
  plugins: [
    paraglideVitePlugin(messages),
    sveltekit({
      adapter: strictPage({ folder: 'build', page: 'index.html' }),
      paths: { relative: false },
      compilerOptions: { runes: ({ filename }) => !filename.includes('node_modules') || undefined },
    }),
  ],
  // Inlined assets would be `data:` addresses, which the content security policy does not allow for fonts.
  build: { assetsInlineLimit: 0, cssTarget: ['chrome123', 'firefox120', 'safari17.5'] },
  server: {
    proxy: Object.fromEntries(
      ['/portal/v1', '/media'].map((path) => [path, { target: process.env['PORTICO_URL'] ?? 'http://localhost:3000' }]),
    ),
  },
})
