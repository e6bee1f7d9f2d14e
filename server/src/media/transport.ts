export type TransportState = 'checking' | 'connected' | 'closed'

/** What our side of a peer connection announces in its SDP. */
export interface LocalDescription {
  readonly ufrag: string
  readonly pwd: string
  /** Such as `sha-256 AA:BB…`. */
  readonly fingerprint: string
}

/** One peer connection, as the rest of the media server sees it. Buffers are lent for the call and must not be kept. */
export interface Transport {
  /** Changes on `restart`. */
  readonly local: LocalDescription
  /** Names the certificate that the peer must show. May come after DTLS has finished: nothing flows before both. */
  expect(remote: { readonly fingerprint: string }): void
  /** Receives a whole RTP packet: decrypted, authenticated, not a replay. */
  onRtp: (packet: Buffer) => void
  /** Receives a compound RTCP packet: decrypted, authenticated, not a replay. */
  onRtcp: (compound: Buffer) => void
  onState: (state: TransportState) => void
  /** Encrypts into a fresh buffer. The header carries the sequence number and ssrc that the peer shall see. */
  sendRtp(header: Buffer, payload: Buffer): void
  sendRtcp(compound: Buffer): void
  /** Announces a new ufrag and pwd; DTLS and SRTP go on. */
  restart(): void
  close(): void
}
