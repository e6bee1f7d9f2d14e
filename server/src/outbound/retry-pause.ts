import type { Attempt } from './attempt.ts'

/** In seconds: how much longer than usual a receiver can make us wait. */
const MAX_RETRY_AFTER = 3600

/**
 * Seconds until the next attempt; undefined if all `pauses` are used up. ±20 % jitter, so that requests that failed together
 * don't retry together. A receiver that is busy can ask for a longer pause.
 */
export function retryPause(
  attempts: number,
  { status, retryAfter }: Pick<Attempt, 'status' | 'retryAfter'>,
  pauses: readonly number[],
): number | undefined {
  const usual = pauses[attempts - 1]
  if (usual === undefined) return undefined
  const spread = usual * (0.8 + Math.random() * 0.4)
  const requested = status === 429 || status === 503 ? readRetryAfter(retryAfter) : undefined
  return requested === undefined ? spread : Math.max(spread, Math.min(requested, MAX_RETRY_AFTER))
}

function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000)
}
