import type { Application } from '@portico/contract'
import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import { call, type Asked } from '#api.ts'

/** How often something is read again that changes by itself, while somebody looks at it. */
const WATCHED_MS = 3000

export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: async ({ signal }) => (await call('GET /applications', {}, { signal })).applications,
})

export function applicationQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId],
    queryFn: ({ signal }) => call('GET /applications/:applicationId', { applicationId }, { signal }),
  })
}

/** Puts an application as the server just answered it wherever it is shown. */
export function keepApplication(client: QueryClient, application: Application): void {
  client.setQueryData(applicationQuery(application.id).queryKey, application)
  client.setQueryData(applicationsQuery.queryKey, (known) =>
    known?.map((one) => (one.id === application.id ? application : one)),
  )
}

export function usageQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'usage'],
    queryFn: ({ signal }) => call('GET /applications/:applicationId/usage', { applicationId }, { signal }),
    refetchInterval: WATCHED_MS,
  })
}

export function oauthQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'oauth'],
    queryFn: async ({ signal }) =>
      (await call('GET /applications/:applicationId/oauth', { applicationId }, { signal })).oauth,
  })
}

export function webhookQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'webhook'],
    queryFn: async ({ signal }) =>
      (await call('GET /applications/:applicationId/webhook', { applicationId }, { signal })).webhook,
    refetchInterval: WATCHED_MS,
  })
}

export type DeliveryFilter = Pick<Asked<'GET /applications/:applicationId/deliveries'>, 'state' | 'limit'>

export function deliveriesQuery(applicationId: string, filter: DeliveryFilter) {
  return queryOptions({
    queryKey: ['application', applicationId, 'deliveries', filter],
    queryFn: ({ signal }) =>
      call('GET /applications/:applicationId/deliveries', { applicationId, ...filter }, { signal }),
    refetchInterval: WATCHED_MS,
    placeholderData: (before) => before,
  })
}

export function deliveryQuery(applicationId: string, deliveryId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'delivery', deliveryId],
    queryFn: ({ signal }) =>
      call('GET /applications/:applicationId/deliveries/:deliveryId', { applicationId, deliveryId }, { signal }),
    refetchInterval: WATCHED_MS,
  })
}

export function streamQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'stream'],
    queryFn: ({ signal }) => call('GET /applications/:applicationId/stream', { applicationId }, { signal }),
    refetchInterval: WATCHED_MS,
  })
}

export function botRoomsQuery(applicationId: string, channelId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'rooms', channelId],
    queryFn: async ({ signal }) => {
      const at = 'GET /applications/:applicationId/channels/:channelId/rooms'
      return (await call(at, { applicationId, channelId }, { signal })).rooms
    },
  })
}

export function accessQuery(asked: Asked<'GET /applications/:applicationId/access/:operation'>) {
  return queryOptions({
    queryKey: ['application', asked.applicationId, 'access', asked],
    queryFn: ({ signal }) => call('GET /applications/:applicationId/access/:operation', asked, { signal }),
    staleTime: 0,
  })
}

export function cardQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application-card', applicationId],
    queryFn: ({ signal }) => call('GET /applications/:applicationId/card', { applicationId }, { signal }),
  })
}

export function placesQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application-places', applicationId],
    queryFn: async ({ signal }) =>
      (await call('GET /applications/:applicationId/places', { applicationId }, { signal })).places,
    staleTime: 0,
  })
}
