import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { freePort } from '../../test/free-port.ts'
import { newPerson } from '../../test/new-person.ts'
import { nginxProgram, startNginx } from '../../test/nginx.ts'
import { portico, settingsOf } from '../../test/portico-process.ts'
import { startServer } from '../../test/start-server.ts'

const guide = join(import.meta.dirname, '../../../docs/self-hosting.md')

describe.skipIf(nginxProgram === undefined)('the nginx sample of docs/self-hosting.md', { timeout: 300_000 }, () => {
  test('passes the doctor, and large pictures get through', async () => {
    const port = await freePort()
    const PUBLIC_URL = `http://127.0.0.1:${port}`
    const server = await startServer({ PUBLIC_URL, TRUSTED_PROXIES: '127.0.0.1' })
    const { stop } = await startNginx(await sampleFor(port, server.url))
    onTestFinished(stop)
    await eventually(() => fetch(`${PUBLIC_URL}/readyz`).then(({ status }) => status, String)).toBe(200)

    const doctor = await portico(['doctor'], { ...settingsOf(server), PUBLIC_URL, TRUSTED_PROXIES: '127.0.0.1' })
    for (const subject of ['Public address', 'Reverse proxy', 'WebSocket', 'Uploads'])
      expect(doctor.stdout).toMatch(new RegExp(`^✓ ${subject}`, 'm'))
    expect(doctor.code).toBe(0)

    const { cookie } = await newPerson(server)
    const picture = await fetch(`${PUBLIC_URL}/portal/v1/account/picture`, {
      method: 'PUT',
      headers: { cookie, origin: PUBLIC_URL, 'content-type': 'image/bmp' },
      body: Buffer.alloc(3 * 1024 ** 2),
    })
    // The error comes from Portico itself, not from nginx.
    expect(await picture.json()).toMatchObject({ status: 'error', field: 'picture' })
  })
})

/** The sample on a free port, without TLS, which would need a certificate. */
async function sampleFor(port: number, target: string): Promise<string> {
  const [, sample = ''] = /```nginx\n(.*?)```/s.exec(await readFile(guide, 'utf8')) ?? []
  return sample
    .replaceAll(/^ *(ssl_certificate|listen \[::\]).*\n/gm, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace('http://127.0.0.1:3000', target)
}
