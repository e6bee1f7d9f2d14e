import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineProject } from 'vitest/config'
import { operationRoutes } from './tooling/operation-routes.ts'

/** What the portal is made of without a page to show it in. */
export default defineProject({
  // Classes with state are compiled; nothing of SvelteKit is needed to try them.
  plugins: [operationRoutes(), svelte({ configFile: false })],
  test: {
    name: 'portal',
    // None keeps anything that another could see, and to begin anew for each takes longer than to run them.
    isolate: false,
    // As in the other projects: they could not run together otherwise.
    maxWorkers: 6,
    include: ['src/**/*.test.ts', 'tooling/**/*.test.ts'],
    testTimeout: 300_000,
    unstubGlobals: true,
    // It brings components, which have to be compiled as well.
    server: { deps: { inline: ['@tanstack/svelte-query'] } },
  },
})
