import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { startPortico } from '../../test/portico-process.ts'

/** A defect: while a response is written, something fails that nobody waits for. */
const DEFECTS = `
  import { ServerResponse } from 'node:http'
  import { Readable } from 'node:stream'
  const { writeHead } = ServerResponse.prototype
  const fail = () => { throw new Error('a defect') }
  const defects = {
    rejection: () => void Promise.reject(new Error('a defect')),
    timer: () => setTimeout(fail),
    stream: () => new Readable({ read: fail }).resume(),
  }
  ServerResponse.prototype.writeHead = function (...args) {
    defects[new URL(this.req.url, 'http://localhost').searchParams.get('defect')]?.()
    return writeHead.apply(this, args)
  }
  process.on('SIGUSR2', () => setImmediate(fail))`

describe('a process', { timeout: 300_000 }, () => {
  test('survives what a request throws where nobody catches it, and ends on other exceptions', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const portal = await startPortico({
      DATABASE_URL,
      PORTICO_DATA: await dataFolder(),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DEFECTS)}`,
    })
    for (const defect of ['rejection', 'timer', 'stream']) {
      expect((await fetch(`${portal.url}/healthz?defect=${defect}`)).status).toBe(200)
      expect((await fetch(`${portal.url}/api/v1/me?defect=${defect}`)).status).toBe(401)
    }
    expect((await fetch(`${portal.url}/readyz`)).status).toBe(200)
    expect(portal.output()).toContain('unhandled rejection')
    expect(portal.output()).toContain('uncaught exception in a request')

    portal.kill('SIGUSR2')
    const { code, stdout, stderr } = await portal.ended
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Error: a defect\n') })
    expect(stdout).toContain('uncaught exception; stopping')
  })
})
