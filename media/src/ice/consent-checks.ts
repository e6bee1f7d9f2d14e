import { randomBytes } from 'node:crypto'
import type { Path } from './path-choice.ts'
import { isAuthentic, readBindingResponse, writeBindingRequest, type IceCredentials } from './stun.ts'

/** Checks of our own, which only someone can answer who receives what is sent on a path (RFC 7675). */
export interface ConsentChecks {
  /** Asks on a path whose peer knows us by this ufrag, less and less often until there is an answer. */
  ask(path: Path, localUfrag: string): void
  /** Whether the packet answers a check that was sent on the same path. Each answer counts once. */
  isAnswer(path: Path, packet: Buffer): boolean
}

/** Several paths may be asked a few times each before the first answer arrives. */
const MAX_UNANSWERED = 64
/** In milliseconds: how long to wait for an answer before the next question. Who doesn't answer may not want to be asked. */
const FIRST_WAIT = 100
const LONGEST_WAIT = 2000

/** Nothing is asked before the peer's credentials are known. */
export function createConsentChecks(remote: () => IceCredentials | undefined): ConsentChecks {
  const unanswered = new Map<string, Path>()
  const waits = new WeakMap<Path, { readonly until: number; readonly next: number }>()
  return {
    ask(path, localUfrag) {
      const credentials = remote()
      const now = performance.now()
      const { until, next } = waits.get(path) ?? { until: now, next: FIRST_WAIT }
      if (credentials === undefined || now < until) return
      waits.set(path, { until: now + next, next: Math.min(2 * next, LONGEST_WAIT) })
      const transactionId = randomBytes(12)
      unanswered.set(transactionId.toString('hex'), path)
      if (unanswered.size > MAX_UNANSWERED) unanswered.delete(unanswered.keys().next().value!)
      path.send(writeBindingRequest(transactionId, credentials, localUfrag))
    },
    isAnswer(path, packet) {
      const credentials = remote()
      const answer = readBindingResponse(packet)
      const transaction = answer?.transactionId.toString('hex')
      if (credentials === undefined || answer === undefined || transaction === undefined) return false
      if (unanswered.get(transaction) !== path || !isAuthentic(answer, credentials.pwd)) return false
      waits.delete(path)
      return unanswered.delete(transaction)
    },
  }
}
