import type { ApplicationSubject } from '@portico/contract'
import type { QueryClient } from '@tanstack/svelte-query'
import { hear, whenConnected } from '#live/live.svelte.ts'

/** However often one is told, what is shown is read no more often. */
const PAUSE_MS = 400

/** The queries below that of the application that show a subject; the subject `application` is shown by that one itself. */
const SHOWN: ReadonlyMap<ApplicationSubject, readonly string[]> = new Map([
  ['application', []],
  ['webhook', ['webhook', 'deliveries', 'delivery']],
  ['stream', ['stream']],
  ['usage', ['usage']],
])

interface Shown {
  readonly queryKey: readonly string[]
  readonly exact?: boolean
}

/** Keeps what is shown of an application in step with how it fares. Gives the way to stop. */
export function followApplication(client: QueryClient, applicationId: string): () => void {
  const told = new Set<ApplicationSubject>()
  let reading = false

  function note(subjects: readonly ApplicationSubject[]): void {
    for (const subject of subjects) told.add(subject)
    if (!reading) void read()
  }

  async function read(): Promise<void> {
    reading = true
    while (told.size > 0) {
      const own = { queryKey: ['application', applicationId], exact: true }
      const parts = [...told].flatMap((subject) =>
        (SHOWN.get(subject) ?? []).map((part) => ({ queryKey: ['application', applicationId, part] })),
      )
      const shown = told.has('application') ? [own, ...parts] : parts
      told.clear()
      await Promise.all([pause(), ...shown.map(readAnew)])
    }
    reading = false
  }

  /** An answer that is on its way may be older than what was told: it is let come, and then asked for again. */
  async function readAnew(shown: Shown): Promise<void> {
    const underWay = client.getQueryCache().findAll({ ...shown, fetchStatus: 'fetching' })
    await Promise.allSettled(underWay.map(({ promise }) => Promise.resolve(promise)))
    await client.invalidateQueries(shown)
  }

  const stops = [
    hear('application.changed', ({ data }) => data.applicationId === applicationId && note(data.subjects)),
    whenConnected(() => note([...SHOWN.keys()])),
  ]
  return () => {
    for (const stop of stops) stop()
    told.clear()
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}
