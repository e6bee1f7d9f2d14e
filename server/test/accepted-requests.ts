import { expect } from 'vitest'

/** A request that was accepted at some time between these two, in milliseconds. */
export interface AcceptedRequest {
  readonly sent: number
  readonly answered: number
}

/** Fails if more than `limit` requests were certainly accepted within one window of `length` milliseconds. */
export function expectWithinLimit(accepted: readonly AcceptedRequest[], limit: number, length: number): void {
  for (const first of accepted) {
    const within = accepted.filter(({ sent, answered }) => sent >= first.sent && answered < first.sent + length)
    expect(within.length).toBeLessThanOrEqual(limit)
  }
}
