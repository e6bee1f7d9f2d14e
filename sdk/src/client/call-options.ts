/** Options of every call. */
export interface CallOptions {
  /** Ends the call, also while it waits for quota or for a retry. */
  readonly signal?: AbortSignal | undefined
  /**
   * For `sendMessage`: 1–64 visible ASCII characters that are unique for the message. Within 24 hours a call with the same
   * key sends nothing and returns the first message, even from another process. Without it every call gets a random key,
   * which covers the retries of that call.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * With `key`, a `sendMessage` with a key that was used before returns the first message also if its text or room is another
   * one now; otherwise that is an error.
   */
  readonly idempotencyCompare?: 'key' | undefined
}
