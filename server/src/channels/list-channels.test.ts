import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('listOpenChannels', () => {
  test('pages by name and leaves closed channels out', async () => {
    const { newPerson } = await channelFixture()
    const ada = await newPerson()
    const names = ['Open A', 'Open B', 'Open B', 'Open C']
    for (const name of names) expectOk(await ada.post('/channels', { name, open: true }))
    expectOk(await ada.post('/channels', { name: 'Open in name only' }))

    const seen: string[] = []
    let page: { channels: { id: string; name: string }[]; hasMore: boolean } = { channels: [], hasMore: true }
    while (page.hasMore) {
      const after = page.channels.at(-1)
      page = expectOk(await ada.get(`/open-channels?limit=2${after ? `&afterId=${after.id}` : ''}`))
      seen.push(...page.channels.map(({ name }) => name))
    }
    expect(seen.filter((name) => name.startsWith('Open'))).toEqual(names)
  })
})
