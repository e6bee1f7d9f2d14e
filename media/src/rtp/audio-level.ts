export interface RtpAudioLevel {
  /** Whether the sender's voice detection is on; senders without one leave it false. */
  readonly isVoice: boolean
  /** Decibels below the loudest, 0 to 127; 127 is silence. */
  readonly decibelsBelow: number
}

/** The level of one packet (RFC 6464). */
export function readAudioLevel(extension: Buffer | null): RtpAudioLevel | null {
  const byte = extension?.[0]
  return byte === undefined ? null : { isVoice: byte >= 0x80, decibelsBelow: byte & 0x7f }
}
