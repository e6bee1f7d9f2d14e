/** Separate, because the portal needs only these. */
export const SUGGESTION_LIMITS = {
  /** In seconds: an answer that comes later is refused. */
  within: 2,
  suggestions: 25,
  value: 100,
  label: 100,
  typed: 100,
  /** To one bot in any second, and as many answers from it. */
  requests: 20,
  /** How many of these one person can cause. */
  requestsOfPerson: 5,
} as const
