import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AccessToken } from 'livekit-server-sdk'

export const MEDIA_KEY = { LIVEKIT_API_KEY: 'portico', LIVEKIT_API_SECRET: 'a secret of thirty-two characters' }

interface ReceivedRequest {
  readonly method: string
  readonly token: string
  readonly body: Readonly<Record<string, unknown>>
}

interface Participant {
  readonly identity: string
  readonly state: 'JOINING' | 'JOINED' | 'ACTIVE'
  readonly permission: Readonly<Record<string, boolean>>
  readonly tracks?: readonly { readonly sid: string; readonly muted?: boolean }[]
}

/** A fake of LiveKit's HTTP API. Tests decide who is connected; there is no media. */
export class MediaServer {
  readonly heard: ReceivedRequest[] = []
  broken = false
  readonly settings: Readonly<Record<string, string>>
  readonly #rooms = new Map<string, Map<string, Participant>>()

  static async start(): Promise<MediaServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new MediaServer(server)
  }

  constructor(server: Server) {
    const { port } = server.address() as AddressInfo
    this.settings = { ...MEDIA_KEY, LIVEKIT_URL: `ws://127.0.0.1:${port}` }
    server.unref()
    server.on('request', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
        const body = JSON.parse(Buffer.concat(chunks).toString()) as ReceivedRequest['body']
        const answer = this.#answer({ method: request.url?.split('/').at(-1) ?? '', token, body })
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
      })
    })
  }

  connect(roomId: string, identity: string, more: Partial<Participant> = {}): void {
    const room = this.#rooms.get(roomId) ?? new Map<string, Participant>()
    room.set(identity, { identity, state: 'ACTIVE', permission: { canPublish: true, canSubscribe: true }, ...more })
    this.#rooms.set(roomId, room)
  }

  /** Reports a connection to a portal, as LiveKit's webhooks do, and returns the response. */
  async report(url: string, roomId: string, identity: string, apiSecret = MEDIA_KEY.LIVEKIT_API_SECRET) {
    const participant = this.#rooms.get(roomId)?.get(identity)
    return this.#send(url, { event: 'participant_joined', room: { name: roomId }, participant }, apiSecret)
  }

  /** Reports that a participant started or stopped a track. Like LiveKit, it doesn't list their other tracks. */
  async reportTrack(url: string, event: 'track_published' | 'track_unpublished', roomId: string, identity: string) {
    return this.#send(url, { event, room: { name: roomId }, participant: { identity } })
  }

  async #send(url: string, report: object, apiSecret = MEDIA_KEY.LIVEKIT_API_SECRET): Promise<number> {
    const body = JSON.stringify(report)
    const token = new AccessToken(MEDIA_KEY.LIVEKIT_API_KEY, apiSecret)
    token.sha256 = createHash('sha256').update(body).digest('base64')
    return this.deliver(url, body, await token.toJwt())
  }

  /** Sends a webhook with any body. */
  async deliver(url: string, body: string, authorization?: string): Promise<number> {
    const headers = { 'content-type': 'application/webhook+json', ...(authorization && { authorization }) }
    return (await fetch(`${url}/media/livekit`, { method: 'POST', body, headers })).status
  }

  disconnect(roomId: string, identity: string): void {
    this.#rooms.get(roomId)?.delete(identity)
  }

  connected(roomId: string): string[] {
    return [...(this.#rooms.get(roomId)?.keys() ?? [])]
  }

  mayPublish(roomId: string, identity: string): boolean {
    return this.#rooms.get(roomId)?.get(identity)?.permission['canPublish'] ?? false
  }

  #answer(request: ReceivedRequest): { status: number; body: object } {
    this.heard.push(request)
    if (this.broken) return { status: 500, body: { code: 'internal', msg: 'out of order' } }
    const { room: name, identity, permission } = request.body
    if (request.method === 'ListRooms')
      return { status: 200, body: { rooms: [...this.#rooms.keys()].map((room) => ({ name: room })) } }
    const room = this.#rooms.get(String(name))
    if (request.method === 'ListParticipants')
      return { status: 200, body: { participants: [...(room?.values() ?? [])] } }
    const participant = room?.get(String(identity))
    if (!room || !participant) return { status: 404, body: { code: 'not_found', msg: 'no such participant' } }
    if (request.method === 'GetParticipant') return { status: 200, body: participant }
    if (request.method === 'RemoveParticipant') room.delete(participant.identity)
    if (request.method === 'UpdateParticipant')
      room.set(participant.identity, { ...participant, permission: permission as Participant['permission'] })
    return { status: 200, body: {} }
  }
}
