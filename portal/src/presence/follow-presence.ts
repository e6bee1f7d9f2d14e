import type { Member, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/svelte-query'
import { subscribe } from '#live/live.svelte.ts'
import { refetchQueries } from '#live/refetch-queries.ts'
import { memberQuery, membersQuery } from '#members/member-queries.ts'

type MemberPage = Pick<Output<typeof api.listMembersByName>, 'members' | 'online' | 'hasMore'>

interface Change {
  readonly online: readonly string[]
  readonly offline: readonly string[]
  /** The member with their new mark. */
  readonly shown: <Shown extends Member>(member: Shown) => Shown
}

/** Members who come online and aren't loaded yet are fetched together rather than one by one. */
const BATCH_MS = 1000

/** Keeps the online marks of members up to date. Returns a function that stops. */
export function followPresence(client: QueryClient): () => void {
  const waiting = new Map<string, ReturnType<typeof setTimeout>>()
  const overtaken = new WeakSet<Query>()

  function readSoon(channelId: string): void {
    if (waiting.has(channelId)) return
    const read = (): void => {
      waiting.delete(channelId)
      void refetchQueries(client, { queryKey: membersQuery(channelId).queryKey })
    }
    waiting.set(channelId, setTimeout(read, BATCH_MS))
  }

  /** A running request may be older than the change that just arrived, so it is repeated. */
  function afterLoading(queryKey: QueryKey, read: () => void): void {
    const query = client.getQueryCache().find({ queryKey, exact: true, fetchStatus: 'fetching' })
    if (!query || overtaken.has(query)) return
    overtaken.add(query)
    const again = (): void => {
      overtaken.delete(query)
      read()
    }
    query.promise?.then(again, again)
  }

  const stop = subscribe('presence.changed', ({ channelId, data: { online, offline } }) => {
    const came = new Set(online)
    const went = new Set(offline)
    const shown = <Shown extends Member>(member: Shown): Shown =>
      came.has(member.id) ? { ...member, online: true } : went.has(member.id) ? { ...member, online: false } : member

    for (const userId of [...came, ...went]) {
      const { queryKey } = memberQuery(channelId, userId)
      client.setQueryData(queryKey, (card) => card && shown(card))
      afterLoading(queryKey, () => void refetchQueries(client, { queryKey, exact: true }))
    }
    for (const { queryKey } of client.getQueryCache().findAll({ queryKey: membersQuery(channelId).queryKey }))
      update(channelId, queryKey, { online, offline, shown })
  })

  /** Marks them in a list of members: that of the channel, or of those who can see a private room. */
  function update(channelId: string, queryKey: QueryKey, { online, offline, shown }: Change): void {
    afterLoading(queryKey, () => readSoon(channelId))
    const known = client.getQueryData<InfiniteData<MemberPage>>(queryKey)
    if (!known) return
    const before = new Map(known.pages.flatMap(({ members }) => members.map((member) => [member.id, member.online])))
    // Anyone missing from a complete list doesn't belong in it, or will join with an event of their own.
    const isComplete = known.pages.at(-1)?.hasMore === false
    if (!isComplete && [...online, ...offline].some((id) => !before.has(id))) readSoon(channelId)
    const change =
      online.filter((id) => before.get(id) === false).length - offline.filter((id) => before.get(id) === true).length
    client.setQueryData(queryKey, {
      ...known,
      pages: known.pages.map((page) => ({
        ...page,
        online: page.online + change,
        members: page.members.map(shown),
      })),
    })
  }

  return () => {
    stop()
    for (const timer of waiting.values()) clearTimeout(timer)
  }
}
