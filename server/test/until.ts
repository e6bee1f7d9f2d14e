import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until it is true and doesn't fail. Unlike `eventually`, it can be used before the tests of a file. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue().catch(() => false))) await sleep(50)
}
