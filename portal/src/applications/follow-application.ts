import type { ApplicationSubject } from '@portico/contract'
import type { QueryClient } from '@tanstack/svelte-query'
import { subscribe, onConnected } from '#live/live.svelte.ts'
import { applicationsQuery } from './application-queries.ts'
import { ThrottledRefetch } from './throttled-refetch.ts'

/** The queries of an application to refetch for each subject, relative to its own query. */
const SHOWN: ReadonlyMap<ApplicationSubject, readonly string[]> = new Map([
  ['application', []],
  ['webhook', ['webhook', 'deliveries', 'delivery']],
  ['stream', ['stream']],
  ['usage', ['usage']],
])

/** The window that deleted the application leaves its page within this time. */
const LEAVING_MS = 1000

/**
 * Keeps what is shown of an application up to date. `gone` is called when it was deleted in another window. Returns a
 * function that stops.
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

/** Keeps the list of applications up to date. Returns a function that stops. */
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
