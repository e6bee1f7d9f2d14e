import { describe, expect, test } from 'vitest'
import { redisProgram } from '../../test/redis.ts'
import { startCluster } from '../../test/start-cluster.ts'
import { startNode } from '../../test/start-node.ts'

const FILE = '/_app/immutable/chunks/of-another-version.js'

describe('a file of another version of the portal', () => {
  test.skipIf(redisProgram === undefined)('is looked for on other nodes of a cluster', async () => {
    const { nodes } = await startCluster(2)
    const get = (path: string) => fetch(nodes[0].url + path, { redirect: 'manual' })
    const first = await get(FILE)
    expect([first.status, first.headers.get('location')]).toEqual([307, `${FILE}?attempt=1`])
    expect(first.headers.get('cache-control')).toBe('no-store')
    const second = await get(`${FILE}?attempt=1`)
    expect([second.status, second.headers.get('location')]).toEqual([307, `${FILE}?attempt=2`])

    // Browsers follow no more redirects than this before they give up.
    expect((await get(`${FILE}?attempt=15`)).status).toBe(404)
    expect((await get(`${FILE}?attempt=nonsense`)).status).toBe(404)
    expect((await fetch(nodes[0].url + FILE)).status).toBe(404)
    expect((await get('/_app/immutable/a%20b.js')).status).toBe(404)
    expect((await get('/_app/version.js')).status).toBe(404)
  })

  test('is missing if there is only one node', async () => {
    const { url } = await startNode()
    expect((await fetch(url + FILE, { redirect: 'manual' })).status).toBe(404)
  })
})
