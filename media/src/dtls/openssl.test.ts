import { execFile, spawn, spawnSync } from 'node:child_process'
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createCertificate } from './certificate.ts'
import { AEAD_AES_128_GCM, AES128_CM_HMAC_SHA1_80, type SrtpProfile } from './client-hello.ts'
import type { DtlsSession } from './dtls-connection.ts'
import { createDtlsClient } from './dtls-client.ts'
import { createDtlsServer } from './dtls-server.ts'
import type { SrtpKeys } from './srtp-keys.ts'

const run = promisify(execFile)
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

const PROFILES: readonly (readonly [string, SrtpProfile, number])[] = [
  ['SRTP_AEAD_AES_128_GCM', AEAD_AES_128_GCM, 56],
  ['SRTP_AES128_CM_SHA1_80', AES128_CM_HMAC_SHA1_80, 60],
]

/** What its server prints once it listens. */
const ACCEPTS = /ACCEPT 127\.0\.0\.1:(\d+)/

describe.skipIf(!hasOpenssl)('DTLS against OpenSSL', () => {
  const files = { key: '', certificate: '' }
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-dtls-'))
    files.key = join(folder, 'key.pem')
    files.certificate = join(folder, 'certificate.pem')
    await run('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', files.key])
    const request = ['req', '-x509', '-new', '-key', files.key, '-subj', '/CN=test', '-days', '2']
    await writeFile(files.certificate, (await run('openssl', request)).stdout)
    return () => rm(folder, { recursive: true })
  })

  function openssl(command: 's_client' | 's_server', profile: string, length: number, more: readonly string[]) {
    const exporter = ['-keymatexport', 'EXTRACTOR-dtls_srtp', '-keymatexportlen', String(length)]
    const common = ['-dtls1_2', '-cert', files.certificate, '-key', files.key, '-use_srtp', profile]
    const program = spawn('openssl', [command, ...common, ...exporter, ...more])
    onTestFinished(() => void program.kill())
    let output = ''
    program.stdout.on('data', (text) => void (output += String(text)))
    program.stderr.on('data', (text) => void (output += String(text)))
    return {
      output: () => output,
      keyingMaterial: () => /Keying material: ([\dA-F]+)/.exec(output)?.[1]?.toLowerCase(),
    }
  }

  async function openSocket() {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    onTestFinished(() => void socket.close())
    return socket
  }

  for (const [name, profile, length] of PROFILES)
    for (const curves of ['X25519:P-256', 'P-256'])
      it(`exports the same ${name} keys as a client with ${curves}`, async () => {
        let session: DtlsSession | undefined
        let client: RemoteInfo | undefined
        const socket = await openSocket()
        const server = createDtlsServer({
          certificate: createCertificate(),
          send: (datagram) => socket.send(datagram, client!.port, client!.address),
          onFinished: (finished) => void (session = finished),
          onClosed() {},
        })
        onTestFinished(() => server.close())
        socket.on('message', (datagram, source) => {
          client = source
          server.receive(datagram)
        })
        const address = `127.0.0.1:${socket.address().port}`
        const program = openssl('s_client', name, length, ['-connect', address, '-curves', curves])
        await expect.poll(program.keyingMaterial).toBeDefined()
        expect(session?.srtp.profile).toBe(profile)
        expect(asText(session!.srtp)).toBe(program.keyingMaterial())
      })

  for (const [name, , length] of PROFILES)
    for (const more of [['-curves', 'X25519:P-256'], ['-curves', 'P-256'], ['-listen']])
      it(`exports the same ${name} keys as a server with ${more.join(' ')}`, async () => {
        const socket = await openSocket()
        const accept = ['-accept', '127.0.0.1:0', '-Verify', '1', ...more]
        const program = openssl('s_server', name, length, accept)
        await expect.poll(program.output).toMatch(ACCEPTS)
        const port = Number(ACCEPTS.exec(program.output())?.[1])
        let session: DtlsSession | undefined
        const client = createDtlsClient({
          certificate: createCertificate(),
          send: (datagram) => socket.send(datagram, port, '127.0.0.1'),
          onFinished: (finished) => void (session = finished),
          onClosed() {},
        })
        onTestFinished(() => client.close())
        socket.on('message', (datagram) => client.receive(datagram))
        client.start()
        await expect.poll(program.keyingMaterial).toBeDefined()
        expect(asText(session!.srtp)).toBe(program.keyingMaterial())
      })
})

function asText({ client, server }: SrtpKeys): string {
  return Buffer.concat([client.key, server.key, client.salt, server.salt]).toString('hex')
}
