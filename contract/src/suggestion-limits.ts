/** Separate, because the portal needs only these. */
export const SUGGESTION_LIMITS = {
  /** In seconds: whoever writes a command doesn't wait longer. */
  within: 2,
  suggestions: 25,
  value: 100,
  label: 100,
  typed: 100,
  /** Of one application, in any second, and as many answers. */
  requests: 20,
  /** Of these, for one person. */
  requestsOfPerson: 5,
} as const
