import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../config/config.ts'
import { MEDIA_ON, startServer } from '../../test/start-server.ts'
import { reservePort } from './reserve-port.ts'

describe('with PORT=0 and no PUBLIC_URL', () => {
  test('every address contains the port that the system chose', async () => {
    const { services, url } = await startServer({ ...MEDIA_ON, PUBLIC_URL: '' })
    const { port } = new URL(url)
    expect(services.config.PUBLIC_URL).toBe(`http://localhost:${port}`)
    expect(services.media.url).toBe(`ws://localhost:${port}`)
    const { servers } = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as { servers: { url: string }[] }
    expect(servers[0]?.url).toContain(`http://localhost:${port}`)
  })

  test('the port is kept for the server until it is released', async () => {
    const { config, release } = await reservePort(readConfig({ HOST: '127.0.0.1', PORT: '0' }))
    const taken = startServer({ PORT: String(config.PORT) })
    await expect(taken).rejects.toThrow('is taken')
    await release()
    await release()
    // At once: it is one of those that the system gives to any program.
    const server = createServer().listen(config.PORT, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
  })
})

test('an address that was set is left alone', async () => {
  const config = readConfig({ PORT: '0', PUBLIC_URL: 'https://chat.example' })
  expect((await reservePort(config)).config).toBe(config)
})
