import type { Application, Delivery } from '@portico/contract'
import { infiniteQueryOptions, keepPreviousData, queryOptions, type QueryClient } from '@tanstack/svelte-query'
import { api, type OperationInput } from '#api/api.ts'

/** Fetched when a screen opens, then refetched by `followApplication`. */
const FOLLOWED = { staleTime: 0 }
/** Deliveries per page. */
const PAGE = 50

export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: async ({ signal }) => (await api.listApplications({}, { signal })).applications,
})

export function applicationQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId],
    queryFn: ({ signal }) => api.getApplication({ applicationId }, { signal }),
  })
}

/** Stores an updated application in every query that shows it. */
export function setApplication(client: QueryClient, application: Application): void {
  client.setQueryData(applicationQuery(application.id).queryKey, application)
  client.setQueryData(applicationsQuery.queryKey, (known) =>
    known?.map((one) => (one.id === application.id ? application : one)),
  )
}

export function usageQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'usage'],
    queryFn: ({ signal }) => api.getApplicationUsage({ applicationId }, { signal }),
    ...FOLLOWED,
  })
}

export function oauthQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'oauth'],
    queryFn: async ({ signal }) => (await api.getOAuth({ applicationId }, { signal })).oauth,
  })
}

export function webhookQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'webhook'],
    queryFn: async ({ signal }) => (await api.getApplicationWebhook({ applicationId }, { signal })).webhook,
    ...FOLLOWED,
  })
}

export function deliveriesQuery(applicationId: string, state?: Delivery['state']) {
  return infiniteQueryOptions({
    queryKey: ['application', applicationId, 'deliveries', state ?? 'all'],
    queryFn: ({ pageParam, signal }) => {
      const input = {
        limit: PAGE,
        ...(state !== undefined && { state }),
        ...(pageParam !== undefined && { beforeId: pageParam }),
      }
      return api.listDeliveries({ applicationId, ...input }, { signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ deliveries, hasMore }) => (hasMore ? deliveries.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
    ...FOLLOWED,
  })
}

export function deliveryQuery(applicationId: string, deliveryId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'delivery', deliveryId],
    queryFn: ({ signal }) => api.getDelivery({ applicationId, deliveryId }, { signal }),
    ...FOLLOWED,
  })
}

export function streamQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'stream'],
    queryFn: ({ signal }) => api.getApplicationStream({ applicationId }, { signal }),
    ...FOLLOWED,
  })
}

export function botRoomsQuery(applicationId: string, channelId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'rooms', channelId],
    queryFn: async ({ signal }) => (await api.listApplicationRooms({ applicationId, channelId }, { signal })).rooms,
  })
}

export function accessQuery(input: OperationInput<'explainAccess'>) {
  return queryOptions({
    queryKey: ['application', input.applicationId, 'access', input],
    queryFn: ({ signal }) => api.explainAccess(input, { signal }),
    staleTime: 0,
  })
}

/** The address of the SDK’s package, with its version: without one, lockfiles are wrong after an upgrade of the portal. */
export const sdkQuery = queryOptions({
  queryKey: ['sdk'],
  queryFn: async ({ signal }) => (await fetch('/docs/portico-sdk.tgz', { method: 'HEAD', signal })).url,
})

export function cardQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application-card', applicationId],
    queryFn: ({ signal }) => api.getApplicationCard({ applicationId }, { signal }),
  })
}

export function placesQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application-places', applicationId],
    queryFn: async ({ signal }) => (await api.listInstallPlaces({ applicationId }, { signal })).places,
    staleTime: 0,
  })
}
