import { abortable } from './abortable.ts'

/** Resolves after a time. Rejects with the signal's reason if it is aborted. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await abortable(new Promise((resolve) => (timer = setTimeout(resolve, milliseconds))), signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Doubles from half a second to half a minute, with up to a quarter at random. */
export function backoff(attempt: number): number {
  return Math.min(30_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 4)
}
