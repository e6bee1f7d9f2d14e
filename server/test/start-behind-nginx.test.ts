import { describe, expect, test } from 'vitest'
import { newPerson } from './new-person.ts'
import { nginxProgram } from './nginx.ts'
import { redisProgram } from './redis.ts'
import { startBehindNginx } from './start-behind-nginx.ts'
import type { TestServer } from './start-node.ts'

/** How many requests a node has answered. */
async function answeredBy({ services }: TestServer): Promise<number> {
  const counts = (await services.metrics.text()).matchAll(/^portico_http_request_seconds_count\{.*\} (\d+)$/gm)
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

const canRun = nginxProgram !== undefined && redisProgram !== undefined

// Without Redis or nginx, the summary of the run names these tests instead of all those that the cluster would have run.
describe.skipIf(!canRun)('the tests with every request to a random one of three nodes', () => {
  test('have the requests of one client answered by all of them', async () => {
    const server = await startBehindNginx(3)
    const person = await newPerson(server)
    // Each node is left out of 60 requests with a probability of 1 in 37 billion.
    for (let sent = 0; sent < 60; sent += 1) expect((await person.get('/session')).status).toBe(200)
    const answered = await Promise.all(server.nodes.map(answeredBy))
    expect(answered.reduce((sum, count) => sum + count)).toBe(60)
    expect(Math.min(...answered)).toBeGreaterThan(0)
  })
})
