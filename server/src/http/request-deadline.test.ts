import { open } from 'node:fs/promises'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { ERRORS, LIMITS } from '@portico/contract'
import fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { Disk } from '../db/disk.ts'
import { Refusal } from '../operations/refusal.ts'
import { answerErrors } from './answer-errors.ts'
import { requestDeadlines } from './request-deadline.ts'

/** In milliseconds: after the deadline has answered, even if this process was busy, while that response is still being prepared. */
const AFTER_DEADLINE = LIMITS.requestDeadline * 1000 + 2500
const PREPARED_FOR = 4000

const BUSY_FOR = 500
const SUSPENDED_FOR = 3000

const LATE: Record<string, () => never | object> = {
  'is refused': () => {
    throw new Refusal('unprocessable')
  },
  fails: () => {
    throw new Error('a defect')
  },
  succeeds: () => ({ id: 1 }),
}

describe('a request that ends after its deadline', () => {
  test.concurrent.each(Object.keys(LATE))('and %s gets 504 and nothing of its own', async (how) => {
    const app = fastify()
    requestDeadlines(app)
    answerErrors(app, new Disk())
    app.addHook('onSend', async () => {
      await sleep(PREPARED_FOR)
    })
    app.get('/', async (_, reply) => {
      await sleep(AFTER_DEADLINE)
      void reply.code(201)
      return LATE[how]?.()
    })
    const { statusCode, json } = await app.inject('/')
    expect(statusCode).toBe(ERRORS.timeout.status)
    expect(json()).toEqual(new Refusal('timeout').body())
    await app.close()
  })
})

describe('a request that ends before its deadline', () => {
  test('gets its own answer, although that is still being prepared then', async () => {
    const app = fastify()
    requestDeadlines(app)
    answerErrors(app, new Disk())
    app.addHook('onSend', async () => {
      await sleep(PREPARED_FOR)
    })
    app.get('/', async () => {
      await sleep(LIMITS.requestDeadline * 1000 - 1000)
      throw new Refusal('unprocessable')
    })
    const { statusCode, json } = await app.inject('/')
    expect(json()).toEqual(new Refusal('unprocessable').body())
    expect(statusCode).toBe(ERRORS.unprocessable.status)
    await app.close()
  })
})

describe('a request that opens a file after its deadline', () => {
  test('closes it, because nobody reads it', async () => {
    const app = fastify()
    requestDeadlines(app)
    answerErrors(app, new Disk())
    const file = await open(import.meta.filename)
    app.get('/', async (_, reply) => {
      await sleep(AFTER_DEADLINE)
      return reply.send(file.createReadStream())
    })
    const { statusCode } = await app.inject('/')
    expect(statusCode).toBe(ERRORS.timeout.status)
    await expect.poll(() => file.fd).toBe(-1)
    await app.close()
  })
})

describe('a process that was busy shortly before it was suspended', () => {
  test('reads what arrived meanwhile before the deadline answers', async () => {
    const app = fastify()
    requestDeadlines(app)
    app.get('/', async () => {
      await sleep(LIMITS.requestDeadline * 1000 - BUSY_FOR)
      block(BUSY_FOR)
      await sleep(0)
      block(SUSPENDED_FOR)
      // What has arrived is read after the timers that are due.
      await nextTurn()
      await nextTurn()
      return { id: 1 }
    })
    const { statusCode } = await app.inject('/')
    expect(statusCode).toBe(200)
    await app.close()
  })
})

/** Does to timers and sockets what a suspended process does. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}
