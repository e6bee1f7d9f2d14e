import type { OwnChannel } from '@portico/contract'
import { QueryClient } from '@tanstack/svelte-query'
import { describe, expect, test } from 'vitest'
import { applyChannelOrder, moveChannel } from './channel-order.ts'
import { channelsQuery } from './channel-queries.ts'

const channels = ['one', 'two', 'three'].map((id) => ({ id }) as OwnChannel)

describe('moveChannel', () => {
  test('moves a channel to a place among the others', () => {
    expect(moveChannel(channels, 'one', 1)).toEqual(['two', 'one', 'three'])
    expect(moveChannel(channels, 'one', 2)).toEqual(['two', 'three', 'one'])
    expect(moveChannel(channels, 'three', 0)).toEqual(['three', 'one', 'two'])
  })

  test('does nothing at either end, in the same place, and with a channel that is gone', () => {
    for (const [id, place] of [
      ['one', -1],
      ['three', 3],
      ['two', 1],
      ['gone', 0],
    ] as const)
      expect(moveChannel(channels, id, place)).toBeUndefined()
  })
})

describe('applyChannelOrder', () => {
  test('puts channels that the order doesn’t list last, and ignores what is no longer there', () => {
    const client = new QueryClient()
    client.setQueryData(channelsQuery.queryKey, channels)
    applyChannelOrder(client, ['three', 'gone', 'two'])
    expect(client.getQueryData(channelsQuery.queryKey)?.map(({ id }) => id)).toEqual(['three', 'two', 'one'])
  })
})
