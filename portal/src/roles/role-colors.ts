import type { RoleColor } from '@portico/contract'
import { queryOptions } from '@tanstack/svelte-query'
import { api, type OperationOutput } from '#api/api.ts'

type RoleColors = OperationOutput<'listRoleColors'>['colors']

/** The colored roles of a channel, highest first. Refetched when anything in the channel changes. */
export function roleColorsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'role-colors'],
    queryFn: async ({ signal }) => (await api.listRoleColors({ channelId }, { signal })).colors,
  })
}

/** The color of a name: that of its highest role that has one. */
export function colorAmong(colors: RoleColors = [], roleIds: readonly string[] = []): RoleColor | undefined {
  return colors.find(({ roleId }) => roleIds.includes(roleId))?.color
}
