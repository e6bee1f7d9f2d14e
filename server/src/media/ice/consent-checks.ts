import { randomBytes } from 'node:crypto'
import type { Path } from './path-choice.ts'
import { isAuthentic, readBindingResponse, writeBindingRequest, type IceCredentials } from './stun.ts'

/** Checks of our own, which only someone can answer who receives what is sent on a path (RFC 7675). */
export interface ConsentChecks {
  /** Asks on a path whose peer knows us by this ufrag. */
  ask(path: Path, localUfrag: string): void
  /** Whether the packet answers a check that was sent on the same path. Each answer counts once. */
  isAnswer(path: Path, packet: Buffer): boolean
}

/** Several paths may be asked a few times each before the first answer arrives. */
const MAX_UNANSWERED = 64

/** Nothing is asked before the peer's credentials are known. */
export function createConsentChecks(remote: () => IceCredentials | undefined): ConsentChecks {
  const unanswered = new Map<string, Path>()
  return {
    ask(path, localUfrag) {
      const credentials = remote()
      if (credentials === undefined) return
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
      return unanswered.delete(transaction)
    },
  }
}
