import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/testing/longest-first.ts'
import { nginxProgram } from './server/test/nginx.ts'
import { redisProgram } from './server/test/redis.ts'

/** Every server of these tests is three nodes behind nginx, which sends each request to a random one. */
const IN_CLUSTER = { PORTICO_TEST_CLUSTER: '3' }

/** Without Redis and nginx, start-behind-nginx.test.ts is listed as skipped in place of these. */
const inCluster = (files: string[]): string[] => (nginxProgram && redisProgram ? files : [])

export default defineConfig({
  test: {
    // Tests run whole servers and databases, on machines that do other things too: only a hang may fail on time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 250_000 } },
    pool: 'forks',
    // Most tests wait for something most of the time: for a program, an answer, a deadline.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // Files of a worker follow each other and share its modules: to load the server again for each takes longer than most of
    // them run. What a file starts ends with it (server/test/file-end.ts).
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: [
            'contract/src/**/*.test.ts',
            'deploy/*.test.ts',
            'examples/*.test.ts',
            'sdk/src/**/*.test.ts',
            'server/**/*.test.ts',
          ],
          globalSetup: ['server/test/shared-postgres.ts'],
          setupFiles: ['server/test/setup.ts'],
        },
      },
      // Without the server and its database.
      { extends: true, test: { name: 'media', include: ['media/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: inCluster([
            'server/test/conformance/*.test.ts',
            'server/src/accounts/{instance,sessions,set-up}.test.ts',
            'server/src/sign-in/tokens.test.ts',
          ]),
          env: IN_CLUSTER,
          globalSetup: ['server/test/shared-postgres.ts'],
          setupFiles: ['server/test/setup.ts'],
        },
      },
      { extends: true, test: { name: 'scripts', include: ['scripts/**/*.test.ts'] } },
      'portal/vitest.config.ts',
      {
        extends: true,
        test: {
          name: 'browser',
          // After the others, and fewer at once: a browser never rests.
          sequence: { groupOrder: 1 },
          maxWorkers: 4,
          testTimeout: 600_000,
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['server/test/shared-postgres.ts', 'e2e/speech-file.ts'],
          setupFiles: ['server/test/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster in the browser',
          sequence: { groupOrder: 1 },
          maxWorkers: 4,
          testTimeout: 600_000,
          // Of the tests of chat, those of what nodes tell each other: live updates, reconnecting, several windows of a person.
          include: inCluster(['chat', 'chat-connection', 'unread'].map((name) => `e2e/portal-${name}.test.ts`)),
          env: IN_CLUSTER,
          globalSetup: ['server/test/shared-postgres.ts', 'e2e/speech-file.ts'],
          setupFiles: ['server/test/setup.ts'],
        },
      },
    ],
  },
})
