import type { ApplicationSubject } from '@portico/contract'
import type { QueryClient } from '@tanstack/svelte-query'
import { hear, whenConnected } from '#live/live.svelte.ts'
import { applicationsQuery } from './application-queries.ts'
import { Reading } from './reading.ts'

/** The queries below that of the application that show a subject; the subject `application` is shown by that one itself. */
const SHOWN: ReadonlyMap<ApplicationSubject, readonly string[]> = new Map([
  ['application', []],
  ['webhook', ['webhook', 'deliveries', 'delivery']],
  ['stream', ['stream']],
  ['usage', ['usage']],
])

/** Keeps what is shown of an application in step with how it fares. Gives the way to stop. */
export function followApplication(client: QueryClient, applicationId: string): () => void {
  const own = ['application', applicationId]
  const reading = new Reading(client)
  const note = (subjects: readonly ApplicationSubject[]): void => {
    const parts = subjects.flatMap((subject) => SHOWN.get(subject) ?? []).map((part) => ({ queryKey: [...own, part] }))
    reading.note(subjects.includes('application') ? [{ queryKey: own, exact: true }, ...parts] : parts)
  }
  const stops = [
    hear('application.changed', ({ data }) => data.applicationId === applicationId && note(data.subjects)),
    whenConnected(() => note([...SHOWN.keys()])),
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
    whenConnected(note),
    () => reading.stop(),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
