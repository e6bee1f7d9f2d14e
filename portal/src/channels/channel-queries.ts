import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: async ({ signal }) => (await call('GET /channels', {}, { signal })).channels,
})

export const openChannelsQuery = queryOptions({
  queryKey: ['open-channels'],
  queryFn: async ({ signal }) => (await call('GET /open-channels', {}, { signal })).channels,
})
