import { isDone, type Exchange } from '../model/exchanges.ts'
import { groupBy } from '../model/group-by.ts'
import type { Check } from './violation.ts'

/** Requests with one key of one application are one request: they get the same answer, and another body is refused. */
export const checkIdempotency: Check = ({ run: { exchanges } }, findings) => {
  const keyed = exchanges.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
  for (const [, group] of groupBy(keyed, ({ actor, idempotencyKey }) => `${actor.id} ${idempotencyKey}`)) {
    const done = group.filter(isDone)
    const [first] = done
    if (!first) continue
    findings.checked('once', 'idempotency keys')
    for (const other of done.slice(1)) {
      if (contentOf(other) !== contentOf(first)) {
        findings.violated('once', 'one idempotency key was accepted with two bodies', first, other)
      } else if (idOf(other) !== idOf(first)) {
        findings.violated('once', 'a repeated request with the same idempotency key made something new', first, other)
      }
    }
    for (const other of group) {
      if (other.status !== 422 || other.at < first.end || contentOf(other) === contentOf(first)) continue
      findings.checked('once', 'keys with another body')
    }
  }
}

function idOf({ body }: Exchange): unknown {
  return (body as { id?: unknown } | undefined)?.id
}

function contentOf({ operation, args }: Exchange): string {
  const { roomId, channelId, text, replyToId } = args
  return JSON.stringify([operation, roomId, channelId, text, replyToId])
}
