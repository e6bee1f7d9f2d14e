import { onTestFinished } from 'vitest'
import { relaySignals } from './relay-signals.ts'

/** The same for a test, which ends it. */
export async function startSignalRelay(target: string, mediaPort: number): Promise<string> {
  const { url, stop } = await relaySignals(target, mediaPort)
  onTestFinished(stop)
  return url
}
