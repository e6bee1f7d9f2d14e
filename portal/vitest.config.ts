import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineProject } from 'vitest/config'
import { operationRoutes } from './tooling/operation-routes.ts'

/** Unit tests of the portal's modules, without a page. */
export default defineProject({
  // Modules with runes have to be compiled; SvelteKit isn't needed.
  plugins: [operationRoutes(), svelte({ configFile: false })],
  test: {
    name: 'portal',
    // The tests share no state, and isolating them would take longer than running them.
    isolate: false,
    // The same as in the other projects, which is required to run them together.
    maxWorkers: 5,
    include: ['src/**/*.test.ts', 'tooling/**/*.test.ts'],
    setupFiles: ['../scripts/testing/measure-file.mjs'],
    testTimeout: 600_000,
    expect: { poll: { timeout: 250_000 } },
    unstubGlobals: true,
    // It contains components, which have to be compiled too.
    server: { deps: { inline: ['@tanstack/svelte-query'] } },
  },
})
