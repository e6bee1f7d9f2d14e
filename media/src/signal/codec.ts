import { SignalRequest, SignalResponse } from '@livekit/protocol'

export type ClientMessage = SignalRequest['message']
export type ServerMessage = Exclude<SignalResponse['message'], { case: undefined }>

/** Undefined for bytes that are no message. A message of an unknown kind has no `case`. */
export function readMessage(bytes: Uint8Array): ClientMessage | undefined {
  try {
    return SignalRequest.fromBinary(bytes, { readUnknownFields: false }).message
  } catch {
    return undefined
  }
}

export function writeMessage(message: ServerMessage): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new SignalResponse({ message }).toBinary())
}
