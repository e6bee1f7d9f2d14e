import type { ApplicationSubject } from '@portico/contract'
import type { QueryClient } from '@tanstack/svelte-query'
import { hear, whenConnected } from '#live/live.svelte.ts'
import { applicationsQuery } from './application-queries.ts'
import { Reading } from './throttled-refetch.ts'

/** The queries below that of the application that show a subject; the subject `application` is shown by that one itself. */
const SHOWN: ReadonlyMap<ApplicationSubject, readonly string[]> = new Map([
  ['application', []],
  ['webhook', ['webhook', 'deliveries', 'delivery']],
  ['stream', ['stream']],
  ['usage', ['usage']],
])

/** The window in which an application was deleted leaves its page by itself within this time. */
const LEAVING_MS = 1000

/**
 * Keeps what is shown of an application in step with how it fares. `gone` is called when it was deleted in another window:
 * there is nothing to ask for any more. Gives the way to stop.
 */
export function followApplication(client: QueryClient, applicationId: string, gone: () => void): () => void {
  const own = ['application', applicationId]
  const reading = new Reading(client)
  const note = (subjects: readonly ApplicationSubject[]): void => {
    const parts = subjects.flatMap((subject) => SHOWN.get(subject) ?? []).map((part) => ({ queryKey: [...own, part] }))
    reading.note(subjects.includes('application') ? [{ queryKey: own, exact: true }, ...parts] : parts)
  }
  let leaving: ReturnType<typeof setTimeout> | undefined
  const stops = [
    hear('application.deleted', ({ data }) => {
      if (data.applicationId !== applicationId) return
      reading.stop()
      leaving = setTimeout(gone, LEAVING_MS)
    }),
    hear('application.changed', ({ data }) => data.applicationId === applicationId && note(data.subjects)),
    whenConnected(() => note([...SHOWN.keys()])),
    () => clearTimeout(leaving),
    () => reading.stop(),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Keeps the list of one's applications in step with all of them. Gives the way to stop. */
export function followApplications(client: QueryClient): () => void {
  const reading = new Reading(client)
  const note = (): void => reading.note([{ queryKey: applicationsQuery.queryKey }])
  const stops = [
    hear('application.changed', ({ data }) => data.subjects.includes('application') && note()),
    hear('application.deleted', note),
    whenConnected(note),
    () => reading.stop(),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
