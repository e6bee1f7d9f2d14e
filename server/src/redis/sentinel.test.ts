import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { redisProgram } from '../../test/redis.ts'
import { expectFailOver, startClusterWith, type ClusterUnderTest } from '../../test/redis-fail-over.ts'
import { startSentinelGroup, type SentinelGroup } from '../../test/redis-sentinel.ts'
import { silentLog } from '../../test/silent-log.ts'
import { Redis } from './redis.ts'

describe.skipIf(redisProgram === undefined)('a cluster with Redis Sentinel', () => {
  let group: SentinelGroup
  let cluster: ClusterUnderTest

  beforeAll(async () => {
    group = await startSentinelGroup()
    cluster = await startClusterWith(group.url)
  })

  // The first fail-over happens while one of the Sentinels is missing, too.
  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'goes on sending and delivering, and exceeds no quota, when the primary gets %s and its replica takes over',
    async (signal) => {
      const former = await group.primary()
      if (signal === 'SIGKILL') group.killSentinel()
      await expectFailOver(cluster, {
        fail: () => former.signal(signal),
        promoted: () => eventually(async () => (await group.primary()).port).not.toBe(former.port),
        returned: async () => {
          if (signal === 'SIGSTOP') former.signal('SIGCONT')
          else await former.startAgain()
          await eventually(async () => ((await former.ask('ROLE')) as unknown[])[0]).toBe('slave')
        },
      })
    },
  )

  test('is found by a node that starts during a fail-over', async () => {
    const former = await group.primary()
    former.signal('SIGSTOP')
    onTestFinished(() => former.signal('SIGCONT'))
    const redis = await Redis.open(group.url, { portal: 'starting', log: silentLog })
    onTestFinished(() => redis.close())
    expect((await group.primary()).port).not.toBe(former.port)
    expect(redis.isReady).toBe(true)
  })
})
