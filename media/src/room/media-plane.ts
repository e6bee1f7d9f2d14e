import type { Forwarder } from '../forward/forwarder.ts'
import type { ClientAddress } from '../ice/addresses.ts'
import type { Transport } from '../transport/transport.ts'

/** What rooms need of the packet plane. */
export interface MediaPlane {
  readonly forwarder: Forwarder
  createTransport(): Transport
  /** Without `a=`, the most likely first. */
  candidatesFor(client: ClientAddress): readonly string[]
}
