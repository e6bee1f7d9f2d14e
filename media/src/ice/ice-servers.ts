import { createHmac } from 'node:crypto'

/** In seconds: how long a client may use the credentials to open or renew a relay. */
const LIFE = 12 * 3600

export interface TurnOptions {
  readonly urls: readonly string[]
  readonly secret: string
}

/** A TURN server, and how to use it. */
export interface IceServer {
  readonly urls: string[]
  readonly username: string
  readonly credential: string
}

/** The TURN servers for clients: a user name that expires, and the password derived from it with the shared secret. */
export function iceServers({ urls, secret }: TurnOptions, now = Date.now()): IceServer[] {
  if (urls.length === 0) return []
  const username = `${Math.floor(now / 1000) + LIFE}:portico`
  const credential = createHmac('sha1', secret).update(username).digest('base64')
  return [{ urls: [...urls], username, credential }]
}
