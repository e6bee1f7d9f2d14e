import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The slowest test files, by measured duration. Started last, they would run alone at the end. Vitest sorts the others by
 * size, which says little about duration. A file that is missing here only starts later.
 */
const LONGEST = [
  'sdk/src/client/pacer.test.ts',
  'server/src/websocket/chaos.test.ts',
  'server/src/command-line/start.test.ts',
  'server/src/redis/sentinel.test.ts',
  'server/src/db/fail-over.test.ts',
  'server/src/redis/redis-cluster.test.ts',
  'server/src/events/cluster-faults.test.ts',
  'server/src/events/serving-lease.test.ts',
  'server/src/websocket/heartbeat.test.ts',
  'server/src/files/files.test.ts',
  'server/src/presence/redis-presence.test.ts',
  'server/src/command-line/demo/demo.test.ts',
  'server/src/db/embedded/start-embedded.test.ts',
  'server/src/command-line/backup.test.ts',
  'server/test/conformance/at-once.test.ts',
  'server/src/command-line/doctor.test.ts',
  'server/src/webhooks/chaos.test.ts',
  'sdk/src/events/crash.test.ts',
  'sdk/src/events/event-stream.test.ts',
  'sdk/src/webhook/webhook.test.ts',
  'sdk/src/package.test.ts',
  'sdk/src/voice/voice.test.ts',
  'server/src/http/bad-input.test.ts',
  'server/src/websocket/python.test.ts',
  'server/src/websocket/protocol.test.ts',
  'server/src/command-line/create-admin.test.ts',
  'server/src/db/embedded/durability.test.ts',
  'server/src/http/answer-on-socket.test.ts',
  'server/src/http/file-body.test.ts',
  'server/src/applications/explain-access.test.ts',
  'server/src/quotas/restart.test.ts',
  'server/src/webhooks/record-failure.test.ts',
  'server/src/outbound/attempt.test.ts',
  'server/src/accounts/sign-in-throttle.test.ts',
  'server/src/backup/backup.test.ts',
  'server/src/sign-in/tokens.test.ts',
  'e2e/portal-voice-return.test.ts',
  'e2e/portal-voice-livekit.test.ts',
  'e2e/portal-voice-devices.test.ts',
  'e2e/portal-voice-embedded.test.ts',
  'e2e/portal-voice-programs.test.ts',
  'e2e/portal-applications.test.ts',
  'e2e/portal-chat-history.test.ts',
  'e2e/portal-chat.test.ts',
  'e2e/portal-settings.test.ts',
  'e2e/portal-voice-live.test.ts',
  'e2e/sign-in-website.test.ts',
  'e2e/portal-voice.test.ts',
  'e2e/reference.test.ts',
  'e2e/portal-chat-connection.test.ts',
  'e2e/portal-chat-outbox.test.ts',
  'e2e/portal-screens-accessibility.test.ts',
  'e2e/portal-members.test.ts',
  'e2e/portal-messages.test.ts',
  'e2e/portal-voice-pictures.test.ts',
  'e2e/portal-completion.test.ts',
  'e2e/portal-application-pages.test.ts',
  'e2e/portal-administration-people.test.ts',
  'e2e/portal-shell.test.ts',
  'e2e/portal-sign-in.test.ts',
  'e2e/portal-webhook.test.ts',
  'e2e/channel-settings-accessibility.test.ts',
  'e2e/channel-settings-rooms.test.ts',
  'e2e/portal-accessibility.test.ts',
  'e2e/channel-settings-members.test.ts',
  'e2e/portal-chat-accessibility.test.ts',
]

/** Vitest's own order, except that the slowest files come first in their project. */
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
