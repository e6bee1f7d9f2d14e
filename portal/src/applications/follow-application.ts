import type { ApplicationSubject } from '@portico/contract'
import type { QueryClient } from '@tanstack/svelte-query'
import { subscribe, onConnected } from '#live/live.svelte.ts'
import { applicationsQuery } from './application-queries.ts'
import { ThrottledRefetch } from './throttled-refetch.ts'

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
  const refetch = new ThrottledRefetch(client)
  const refetchSubjects = (subjects: readonly ApplicationSubject[]): void => {
    const parts = subjects.flatMap((subject) => SHOWN.get(subject) ?? []).map((part) => ({ queryKey: [...own, part] }))
    refetch.refetch(subjects.includes('application') ? [{ queryKey: own, exact: true }, ...parts] : parts)
  }
  let leaving: ReturnType<typeof setTimeout> | undefined
  const stops = [
    subscribe('application.deleted', ({ data }) => {
      if (data.applicationId !== applicationId) return
      refetch.stop()
      leaving = setTimeout(gone, LEAVING_MS)
    }),
    subscribe(
      'application.changed',
      ({ data }) => data.applicationId === applicationId && refetchSubjects(data.subjects),
    ),
    onConnected(() => refetchSubjects([...SHOWN.keys()])),
    () => clearTimeout(leaving),
    () => refetch.stop(),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Keeps the list of one's applications in step with all of them. Gives the way to stop. */
export function followApplications(client: QueryClient): () => void {
  const refetch = new ThrottledRefetch(client)
  const refetchSubjects = (): void => refetch.refetch([{ queryKey: applicationsQuery.queryKey }])
  const stops = [
    subscribe('application.changed', ({ data }) => data.subjects.includes('application') && refetchSubjects()),
    subscribe('application.deleted', refetchSubjects),
    onConnected(refetchSubjects),
    () => refetch.stop(),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
