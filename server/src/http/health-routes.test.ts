import { describe, expect, test } from 'vitest'
import { databaseUrl, queryDatabase } from '../../test/query-database.ts'
import { Person } from '../../test/person.ts'
import { startServer } from '../../test/start-server.ts'

describe('/healthz', () => {
  test('reports that the server runs, and its version', async () => {
    const server = await startServer()
    const answer = await fetch(`${server.url}/healthz`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ status: 'ok', version: server.services.version })
  })
})

describe('/readyz', () => {
  test('reports whether the database is available', async () => {
    const server = await startServer()
    const ready = await fetch(`${server.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }])

    const database = server.services.config.DATABASE_URL ?? ''
    const name = new URL(database).pathname.slice(1)
    await queryDatabase(databaseUrl(database, 'postgres'), `DROP DATABASE ${name} WITH (FORCE)`)
    const lost = await fetch(`${server.url}/readyz`)
    expect([lost.status, await lost.json()]).toEqual([503, { status: 'no database' }])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })
})

describe('/metrics', () => {
  test('counts requests by operation and status, in the Prometheus format', async () => {
    const server = await startServer({ PUBLIC_URL: 'http://localhost:3000' })
    await fetch(`${server.url}/portal/v1/instance`)
    await new Person(server).get('/sessions')
    await fetch(`${server.url}/nothing/here`)

    const answer = await fetch(`${server.url}/metrics`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const metrics = await answer.text()
    for (const line of [
      /^portico_http_request_seconds_count\{method="GET",operation="getInstance",status="200"\} 1$/m,
      /^portico_http_request_seconds_count\{method="GET",operation="listSessions",status="401"\} 1$/m,
      /^portico_http_request_seconds_count\{method="GET",operation="none",status="404"\} 1$/m,
      /^portico_http_request_seconds_bucket\{le="0\.1",method="GET",operation="getInstance",status="200"\} [01]$/m,
      /^portico_database_connections\{state="idle"\} \d+$/m,
      /^portico_database_waiting 0$/m,
      /^portico_files_free_bytes 21474836480$/m,
      /^nodejs_eventloop_lag_p99_seconds \S+$/m,
      /^process_resident_memory_bytes \d+$/m,
    ]) {
      expect(metrics).toMatch(line)
    }
    expect(metrics).not.toContain('/nothing/here')
  })

  test('are closed behind a proxy, except with the token', async () => {
    const closed = await startServer({ PUBLIC_URL: 'https://chat.example' })
    expect((await fetch(`${closed.url}/metrics`)).status).toBe(403)

    const METRICS_TOKEN = 'a token of sixteen letters'
    const opened = await startServer({ PUBLIC_URL: 'https://chat.example', METRICS_TOKEN })
    const read = (authorization: string) => fetch(`${opened.url}/metrics`, { headers: { authorization } })
    expect((await read(`Bearer ${METRICS_TOKEN}`)).status).toBe(200)
    expect((await read(`Bearer ${METRICS_TOKEN}x`)).status).toBe(403)
    expect((await read(METRICS_TOKEN)).status).toBe(403)
    expect((await fetch(`${opened.url}/metrics`)).status).toBe(403)
  })

  test('require the token also from this machine if one is set', async () => {
    const server = await startServer({ PUBLIC_URL: 'http://localhost', METRICS_TOKEN: 'a token of sixteen letters' })
    expect((await fetch(`${server.url}/metrics`)).status).toBe(403)
  })
})

describe('/healthz/arrival', () => {
  test('is only for the doctor', async () => {
    const server = await startServer()
    const answer = await fetch(`${server.url}/healthz/arrival`, { headers: { authorization: 'Bearer guess' } })
    expect(answer.status).toBe(403)
  })
})
