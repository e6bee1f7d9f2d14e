import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/start-server.ts'
import { queryDatabase } from '../../test/query-database.ts'

const server = await startServer()

async function send(method: string, path: string, init: { body?: string | Uint8Array; type?: string } = {}) {
  const { body, type = 'application/json' } = init
  const answer = await fetch(server.url + path, {
    method,
    headers: { origin: server.url, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: Buffer.from(body) }),
  })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  return { status: answer.status, body: await answer.json() }
}

const error = (status: number, name: string, message: string, more: object = {}) => ({
  status,
  body: { error: name, status: 'error', message, ...more },
})

describe('the error format applies to', () => {
  const notFound = error(404, 'Not Found', 'There’s nothing at this address.')

  test.each([
    ['GET', '/nothing'],
    ['GET', '/portal/v1/nothing'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/media/avatars/nothing.svg'],
    ['POST', '/healthz'],
    ['DELETE', '/portal/v1/instance'],
    ['PROPFIND', '/'],
  ])('%s %s is not there', async (method, path) => {
    const answer = await send(method, path)
    expect(answer.status).toBe(404)
    expect(answer).toMatchObject({ body: { error: notFound.body.error, status: 'error' } })
  })

  test('a malformed URL', async () => {
    expect(await send('GET', '/portal/v1/%zz')).toEqual(error(400, 'Bad Request', 'The request isn’t valid.'))
  })

  test.each([
    ['cut off', '{"name": "Ada'],
    ['no JSON', 'name=Ada'],
    ['not UTF-8', Uint8Array.from([0x7b, 0xff, 0x7d])],
  ])('a body that is %s', async (_, body) => {
    const message = 'body: must be valid JSON in UTF-8'
    expect(await send('POST', '/portal/v1/sessions', { body })).toEqual(
      error(400, 'Bad Request', message, { field: 'body' }),
    )
  })

  test('a body that is too large', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(256 * 1024) })
    expect(await send('POST', '/portal/v1/sessions', { body })).toEqual(
      error(400, 'Bad Request', 'body: must be at most 256 KiB', { field: 'body' }),
    )
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'nonsense'])(
    'a body of the type %s',
    async (type) => {
      const message = 'content-type: a request with a body must be application/json'
      expect(await send('POST', '/portal/v1/sessions', { body: '{}', type })).toEqual(
        error(400, 'Bad Request', message, { field: 'content-type' }),
      )
    },
  )

  test('a missing field and an invalid one', async () => {
    expect(await send('POST', '/portal/v1/sessions', { body: '{"name":"Ada"}' })).toEqual(
      error(400, 'Bad Request', 'password: is required', { field: 'password' }),
    )
    const body = JSON.stringify({ code: 'x', name: 'Ada', password: 'short' })
    expect(await send('POST', '/portal/v1/set-up', { body })).toEqual(
      error(400, 'Bad Request', 'password: must be 10–256 characters', { field: 'password' }),
    )
  })

  test('an internal error, without its cause', async () => {
    const broken = await startServer()
    await queryDatabase(broken.services.config.DATABASE_URL ?? '', 'DROP TABLE instance')
    const answer = await fetch(`${broken.url}/portal/v1/instance`)
    expect(answer.status).toBe(500)
    expect(await answer.json()).toEqual({
      error: 'Internal Server Error',
      status: 'error',
      message: 'Something went wrong on our side.',
    })
  })

  test('a database that does not respond in time', async () => {
    const slow = await startServer({ DATABASE_POOL_SIZE: '2' })
    const { pool } = slow.services.database
    const client = await pool.connect()
    await client.query('BEGIN; LOCK TABLE instance IN ACCESS EXCLUSIVE MODE')
    const answer = await fetch(`${slow.url}/portal/v1/instance`)
    await client.query('ROLLBACK')
    client.release()
    expect(answer.status).toBe(504)
    expect(await answer.json()).toMatchObject({ error: 'Gateway Timeout', status: 'error' })
  })
})

describe('a request that outlives the connections to the database', () => {
  test('is answered with 504, and is no error in the log', async () => {
    const logged: { level: number; msg: string; reqId?: string }[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
    const { services, url } = await startServer({}, log)
    const { pool } = services.database
    await pool.end()
    // The server ends it as well when it is stopped after the test, and a pool refuses to end twice.
    Object.assign(pool, { end: async () => {} })

    expect((await fetch(`${url}/portal/v1/instance`)).status).toBe(504)
    const ofRequest = logged.filter(({ reqId }) => reqId !== undefined)
    expect(ofRequest.map(({ msg }) => msg)).toContain('the server stopped before the request was answered')
    expect(ofRequest.filter(({ level }) => level >= 50)).toEqual([])
  })
})
