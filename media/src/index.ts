/** The public interface of the media server. Nothing outside imports any other file, except the probe, which only the doctor needs. */

export { Sfu, type SfuOptions } from './sfu/sfu.ts'
export { MediaPortError, type MediaLog } from './sfu/media-thread.ts'
export type { MediaCounters, WorkerOptions } from './worker/messages.ts'
export type { Connection, Publishing } from './room/connection.ts'

// Signaling: what a client's request for a socket contains.
export { SIGNAL_PATH, signalQuery, tokenOf, type AdmittedClient } from './signal/signal-request.ts'
export { verifyToken, type Grant, type TokenKey } from './signal/verify-token.ts'
export type { ClientAddress } from './ice/addresses.ts'

// Broadcasts of programs (WHIP).
export type { Broadcast, BroadcastAnswer, BroadcastRefusal, IceUpdate, IceUpdateAnswer } from './room/broadcast.ts'
export { readIceFragment } from './sdp/ice-fragment.ts'
export { iceServerLinks } from './whip/ice-server-links.ts'

// What the protocols need, and other programs of this machine may need too.
export { addressesFor, listInterfaces } from './ice/addresses.ts'
export { selfSignedCertificate } from './dtls/self-signed-certificate.ts'
