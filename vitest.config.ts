import { defineConfig } from 'vitest/config'
import { LongestFirst } from './server/test/longest-first.ts'

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
    // Files of a worker follow each other and share its modules: to load the server anew for each takes longer than most of
    // them run. What a file starts ends with it (server/test/file-end.ts).
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: ['contract/src/**/*.test.ts', 'deploy/*.test.ts', 'server/**/*.test.ts'],
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
    ],
  },
})
