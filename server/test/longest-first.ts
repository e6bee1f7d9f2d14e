import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The test files that take longest, most of which wait: begun last, they would be waited for alone. Size, which decides
 * about the others, does not tell. A file that is missing here only begins later.
 */
const LONGEST = [
  'server/src/websocket/chaos.test.ts',
  'server/src/websocket/heartbeat.test.ts',
  'server/src/webhooks/chaos.test.ts',
  'server/test/conformance/at-once.test.ts',
  'server/src/db/embedded/start-embedded.test.ts',
  'server/src/webhooks/deliveries.test.ts',
  'server/src/command-line/demo/demo.test.ts',
  'server/src/websocket/python.test.ts',
  'server/src/command-line/doctor.test.ts',
  'server/src/command-line/start.test.ts',
  'server/src/websocket/protocol.test.ts',
  'server/src/http/bad-input.test.ts',
  'e2e/portal-settings.test.ts',
  'e2e/portal-cabinet.test.ts',
  'e2e/portal-chat-history.test.ts',
  'e2e/portal-chat.test.ts',
  'e2e/sign-in-website.test.ts',
  'e2e/portal-chat-connection.test.ts',
  'e2e/channel-settings-accessibility.test.ts',
  'e2e/portal-accessibility.test.ts',
  'e2e/portal-administration-accessibility.test.ts',
  'e2e/portal-voice.test.ts',
]

/** Vitest's own order, but for the files that take longest, which come first among those of their project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = Map.groupBy(sorted, ({ project }) => project)
    return [...projects.values()].flatMap((own) => own.toSorted((a, b) => placeOf(a) - placeOf(b)))
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  const place = LONGEST.indexOf(relative(project.vitest.config.root, moduleId).replaceAll('\\', '/'))
  return place === -1 ? LONGEST.length : place
}
