import { configDefaults, defineConfig } from 'vitest/config'
import onlyInCompleteRun from './scripts/testing/complete-run.json' with { type: 'json' }
import { LongestFirst } from './scripts/testing/longest-first.ts'
import { nginxProgram } from './server/test/nginx.ts'
import { isFullRun } from './server/test/full-run.ts'
import { redisProgram } from './server/test/redis.ts'

/** Every server of these tests is three nodes behind nginx, which sends each request to a random one. */
const IN_CLUSTER = { PORTICO_TEST_CLUSTER: '3' }

/** Without Redis and nginx, start-behind-nginx.test.ts is listed as skipped in place of these. */
const inCluster = (files: string[]): string[] => (nginxProgram && redisProgram ? files : [])

const MEASURED = 'scripts/testing/measure-file.mjs'

/** What tests of a server or a browser need. */
const PORTAL = {
  globalSetup: ['server/test/shared-postgres.ts', 'e2e/voice/speech-file.ts'],
  setupFiles: [MEASURED, 'server/test/setup.ts'],
}

export default defineConfig({
  test: {
    // Tests run whole servers, databases and browsers, on machines that do other things too: only a hang may fail on time.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 250_000 } },
    pool: 'forks',
    // Most tests wait for something most of the time: for a program, an answer, a deadline.
    maxWorkers: 5,
    exclude: [...configDefaults.exclude, ...(isFullRun ? [] : Object.values(onlyInCompleteRun).flat())],
    sequence: { sequencer: LongestFirst },
    // Files of a worker follow each other and share its modules: to load the server again for each takes longer than most of
    // them run. What a file starts ends with it (server/test/file-end.ts).
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          // One project, so that workers and one PostgreSQL are shared, and browsers run while other tests wait.
          name: 'one node',
          include: [
            'contract/src/**/*.test.ts',
            'deploy/*.test.ts',
            'e2e/**/*.test.ts',
            'examples/*.test.ts',
            'sdk/src/**/*.test.ts',
            'server/**/*.test.ts',
          ],
          ...PORTAL,
        },
      },
      // Without the server and its database.
      { extends: true, test: { name: 'media', include: ['media/**/*.test.ts'], setupFiles: [MEASURED] } },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: inCluster([
            // Of the conformance tests, those of what nodes have to agree about.
            'server/test/conformance/{at-once,concurrency,idempotency,limits,order,scopes}.test.ts',
            'server/src/accounts/{instance,sessions,set-up}.test.ts',
            'server/src/sign-in/tokens.test.ts',
            // Of the tests of chat, those of what nodes tell each other: live updates, reconnecting, several windows of a person.
            'e2e/chat/{chat,connection,drafts,unread}.test.ts',
          ]),
          env: IN_CLUSTER,
          ...PORTAL,
        },
      },
      { extends: true, test: { name: 'simulation', include: ['simulate/**/*.test.ts'], setupFiles: [MEASURED] } },
      { extends: true, test: { name: 'scripts', include: ['scripts/**/*.test.ts'], setupFiles: [MEASURED] } },
      'portal/vitest.config.ts',
    ],
  },
})
