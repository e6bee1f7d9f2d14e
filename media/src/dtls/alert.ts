export const CLOSE_NOTIFY = 0
export const UNEXPECTED_MESSAGE = 10
export const HANDSHAKE_FAILURE = 40
export const BAD_CERTIFICATE = 42
export const ILLEGAL_PARAMETER = 47
export const DECODE_ERROR = 50
export const DECRYPT_ERROR = 51
export const PROTOCOL_VERSION = 70
export const UNSUPPORTED_EXTENSION = 110

const WARNING = 1
const FATAL = 2

/** Ends a handshake: the alert goes to the peer, the message to the log. */
export class HandshakeError extends Error {
  readonly alert: number

  constructor(alert: number, message: string) {
    super(message)
    this.alert = alert
  }
}

export function writeAlert(description: number): Buffer {
  return Buffer.of(description === CLOSE_NOTIFY ? WARNING : FATAL, description)
}

/** Whether the peer has ended the connection; it may go on after other warnings. */
export function endsConnection(alert: Buffer): boolean {
  return alert.length === 2 && (alert[0] === FATAL || alert[1] === CLOSE_NOTIFY)
}
