import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { checkServerIdentity, connect, createServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { selfSignedCertificate } from './self-signed-certificate.ts'

const NAMES = ['192.168.1.5', 'fd12:3456::1:0:2', '::1', 'localhost', 'ada-laptop.local']
const DAY = 86_400_000
const now = Math.floor(Date.now() / 1000) * 1000
const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const certificate = new X509Certificate(
  selfSignedCertificate({ keys, from: now - DAY, until: now + DAY, names: NAMES }),
)
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Connects to a server that shows this certificate, which the client trusts, as if the server had this name. */
async function connectTo(name: string): Promise<string | null> {
  const cert = certificate.toString()
  const server = createServer({ key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }), cert })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect({
    host: '127.0.0.1',
    port,
    ca: cert,
    checkServerIdentity: (_host, peer) => checkServerIdentity(name, peer),
  })
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  await once(socket, 'secureConnect')
  return socket.getProtocol()
}

describe('selfSignedCertificate', () => {
  test('signs with its own key, for the time that was asked for', () => {
    expect(certificate.verify(keys.publicKey)).toBe(true)
    expect(certificate.checkPrivateKey(keys.privateKey)).toBe(true)
    expect(certificate.validFromDate.getTime()).toBe(now - DAY)
    expect(certificate.validToDate.getTime()).toBe(now + DAY)
    expect(certificate.ca).toBe(false)
  })

  test.each(NAMES)('is accepted by a TLS client that trusts it, at %s', async (name) => {
    expect(await connectTo(name)).toBe('TLSv1.3')
  })

  test.each(['192.168.1.6', 'fd12:3456::1', 'example.com', 'evil.ada-laptop.local'])(
    'is refused by a TLS client at %s',
    async (name) => {
      await expect(connectTo(name)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    },
  )

  test.skipIf(!hasOpenssl)('is read by OpenSSL as the certificate of a web server', () => {
    const { stdout } = spawnSync('openssl', ['x509', '-noout', '-text'], {
      input: certificate.toString(),
      encoding: 'utf8',
    })
    const lines = stdout.split('\n').map((line) => line.trim())
    expect(lines).toContain('CA:FALSE')
    expect(lines).toContain('Digital Signature')
    expect(lines).toContain('TLS Web Server Authentication')
    expect(lines).toContain(
      'IP Address:192.168.1.5, IP Address:FD12:3456:0:0:0:1:0:2, IP Address:0:0:0:0:0:0:0:1, DNS:localhost, DNS:ada-laptop.local',
    )
  })
})
