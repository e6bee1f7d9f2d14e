/** What a receiver reports about one stream. */
export interface ReportBlock {
  readonly ssrc: number
  /** 0 to 255, of the packets since the last report. */
  readonly fractionLost: number
  /** Signed: duplicates can make it negative. */
  readonly totalLost: number
  readonly highestSequence: number
  /** In units of the RTP clock. */
  readonly jitter: number
  /** The middle 32 bits of the NTP time of the last sender report; 0 without one. */
  readonly lastReport: number
  /** In units of 1/65536 seconds. */
  readonly delaySinceLastReport: number
}

/** Ties the RTP clock of a stream to the sender's wall clock. */
export interface SenderReport {
  readonly type: 'sender-report'
  readonly ssrc: number
  readonly ntpSeconds: number
  readonly ntpFraction: number
  readonly rtpTimestamp: number
  readonly packets: number
  readonly octets: number
  readonly reports: readonly ReportBlock[]
}

export type RtcpPacket =
  | SenderReport
  | { readonly type: 'receiver-report'; readonly ssrc: number; readonly reports: readonly ReportBlock[] }
  | {
      readonly type: 'source-description'
      readonly cnames: readonly { readonly ssrc: number; readonly cname: string }[]
    }
  | { readonly type: 'bye'; readonly ssrcs: readonly number[] }
  /** `missing` is read as far as it is iterated: a few bytes can name many packets. */
  | { readonly type: 'nack'; readonly sender: number; readonly ssrc: number; readonly missing: Iterable<number> }
  | { readonly type: 'picture-loss'; readonly sender: number; readonly ssrc: number }
  | {
      readonly type: 'full-intra-request'
      readonly sender: number
      readonly requests: readonly { readonly ssrc: number; readonly number: number }[]
    }
  | {
      readonly type: 'max-bitrate'
      readonly sender: number
      readonly bitrate: number
      readonly ssrcs: readonly number[]
    }
  /** `content` is what follows the two ssrcs; see `transport-feedback.ts`. */
  | { readonly type: 'transport-feedback'; readonly sender: number; readonly ssrc: number; readonly content: Buffer }

export const RTCP = {
  senderReport: 200,
  receiverReport: 201,
  sourceDescription: 202,
  bye: 203,
  transportFeedback: 205,
  payloadFeedback: 206,
} as const

/** The formats of the two feedback types (RFC 4585, RFC 5104). */
export const FEEDBACK = { nack: 1, transportCc: 15, pictureLoss: 1, fullIntraRequest: 4, application: 15 } as const

export const CNAME = 1
