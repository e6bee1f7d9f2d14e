import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ChildProgram } from '../api/child-program.ts'
import type { Seeded } from './seed.ts'

export interface Certificate {
  readonly path: string
  readonly key: string
  readonly cert: string
  remove(): Promise<void>
}

/** For a receiver on this machine, trusted by whoever is given its path in NODE_EXTRA_CA_CERTS. */
export async function makeCertificate(): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-certificate-'))
  const [keyPath, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const of = ['-subj', '/CN=receiver', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, '-keyout', keyPath, '-out', path, ...of])
  return {
    path,
    key: await readFile(keyPath, 'utf8'),
    cert: await readFile(path, 'utf8'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export interface WebhookFigure {
  readonly webhooks: number
  readonly messages: number
  readonly deliveries: number
  readonly deliveriesPerSecond: number
}

/** Messages to a room whose channel has so many webhooks, timed until the last delivery was answered. */
export async function measureWebhooks(
  { keys, bots, key }: Seeded,
  ports: { portico: number; hooks: number },
  hooks: ChildProgram,
  wish: { webhooks: number; messages: number },
): Promise<WebhookFigure> {
  const api = async (method: string, path: string, own: string, body?: object): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${ports.portico}/api/v1${path}`, {
      method,
      headers: { authorization: `Bot ${own}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
  }
  const hooked = keys.slice(0, wish.webhooks)
  for (const own of hooked) await api('PUT', '/webhook', own, { url: `https://127.0.0.1:${ports.hooks}/hook` })

  const count = () => hooks.ask<{ received: number; lastAt: number }>({ count: true })
  const before = (await count()).received
  const started = Date.now()
  const { channelId, roomId } = bots
  for (let sent = 0; sent < wish.messages; sent += 1) {
    await api('POST', `/rooms/${roomId}/messages`, key, { channelId, text: `Crate ${sent} is unloaded` })
  }
  const deliveries = wish.webhooks * wish.messages
  let told = await count()
  while (told.received - before < deliveries) {
    await sleep(50)
    told = await count()
  }
  const deliveriesPerSecond = deliveries / ((told.lastAt - started) / 1000)
  for (const own of hooked) await api('DELETE', '/webhook', own)
  return { ...wish, deliveries, deliveriesPerSecond }
}
