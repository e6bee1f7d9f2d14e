import { createCertificate } from '../dtls/certificate.ts'
import { createForwarder } from '../forward/forwarder.ts'
import { candidatesFor } from '../ice/addresses.ts'
import { openMediaPort, type MediaPort } from '../transport/media-port.ts'
import { hostsFor, openChosen } from '../transport/port-choice.ts'
import { KnownAddresses } from '../ice/known-addresses.ts'
import type { MediaPlane } from '../room/media-plane.ts'
import type { WorkerOptions } from './messages.ts'

export interface OpenPlane extends MediaPlane {
  readonly port: number
  readonly announced: readonly string[]
}

interface Events {
  /** Our own code has failed over a packet, which is dropped. */
  readonly onError: (error: unknown) => void
  readonly onAnnounced: (announced: readonly string[]) => void
}

/** Opens the media port and everything behind it. */
export async function openPlane(options: WorkerOptions, { onError, onAnnounced }: Events): Promise<OpenPlane> {
  const { addresses: configured, publicHost } = options
  const addresses = await KnownAddresses.find({ configured, publicHost, onChange: onAnnounced })
  const hosts = hostsFor(addresses)
  const certificate = createCertificate()
  const open = (port: number): Promise<MediaPort> => openMediaPort({ port, hosts, certificate, onError })
  const mediaPort = await openChosen(options.port, open)
  return {
    port: mediaPort.port,
    announced: addresses.announced,
    forwarder: createForwarder({ onError }),
    createTransport: () => mediaPort.createTransport(),
    candidatesFor: (client) => candidatesFor(addresses.own, mediaPort.port, client),
  }
}
