import { onTestFinished } from 'vitest'
import { rtpPacket } from '../../../media/test/rtp-stream.ts'
import { offerOf } from '../../../media/test/scripted-sdp.ts'
import { createTestPeer, type TestPeer } from '../../../media/test/test-peer.ts'
import type { TestServer } from '../start-server.ts'

const CREDENTIALS = { ufrag: 'program', pwd: 'a+password+of+22+chars' }
const SOUND = { cid: 'sound', kind: 'audio', ssrc: 11 } as const
const OPUS = 111
const HEADER_SIZE = 12

/** Sends an offer with a stream key. */
export function postOffer(
  { url }: Pick<TestServer, 'url'>,
  key: string,
  body: string,
  type = 'application/sdp',
): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type }
  return fetch(`${url}/whip/v1`, { method: 'POST', headers, body })
}

/** A program that broadcasts with WHIP, with packets that the test writes. */
export class WhipClient {
  readonly location: URL
  readonly etag: string
  readonly #peer: TestPeer
  readonly #key: string
  #sent = 100

  /** Broadcasts, and waits until media can flow. */
  static async begin(server: TestServer, key: string): Promise<WhipClient> {
    const { port } = server.services.embeddedMedia?.place ?? { port: 0 }
    const peer = await createTestPeer({ port, ...CREDENTIALS })
    onTestFinished(() => peer[Symbol.asyncDispose]())
    const answer = await postOffer(server, key, offerOf(peer, [SOUND]))
    if (answer.status !== 201) throw new Error(`The broadcast was refused: ${answer.status} ${await answer.text()}`)
    const client = new WhipClient(server, key, peer, answer.headers)
    await client.connect(await answer.text())
    return client
  }

  private constructor(server: TestServer, key: string, peer: TestPeer, headers: Headers) {
    this.location = new URL(headers.get('location') ?? '', server.url)
    this.etag = headers.get('etag') ?? ''
    this.#key = key
    this.#peer = peer
  }

  /** Connects with the credentials of an answer, or of a fragment after a restart of ICE. */
  async connect(sdp: string): Promise<void> {
    const line = (name: string): string => new RegExp(`a=${name}:(.*)\\r`).exec(sdp)?.[1] ?? ''
    const answered = this.#peer.checksAnswered
    await this.#peer.connect({ ufrag: line('ice-ufrag'), pwd: line('ice-pwd'), fingerprint: line('fingerprint') })
    while (this.#peer.checksAnswered === answered) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  /** Sends a packet whose payload is this text. */
  say(text: string): void {
    const packet = rtpPacket({
      ssrc: SOUND.ssrc,
      payloadType: OPUS,
      sequenceNumber: (this.#sent += 1),
      payload: Buffer.from(text),
    })
    this.#peer.sendRtp(packet.subarray(0, HEADER_SIZE), packet.subarray(HEADER_SIZE))
  }

  end(key = this.#key): Promise<Response> {
    return fetch(this.location, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } })
  }

  /** Sends a fragment about its ICE. */
  patch(body: string, headers: Record<string, string> = {}): Promise<Response> {
    const authorization = `Bearer ${this.#key}`
    const type = 'application/trickle-ice-sdpfrag'
    return fetch(this.location, { method: 'PATCH', headers: { authorization, 'content-type': type, ...headers }, body })
  }
}
