import { createCertificate } from '../dtls/certificate.ts'
import { createForwarder } from '../forward/forwarder.ts'
import { candidatesFor } from '../ice/addresses.ts'
import { openMediaPort, type MediaPort } from '../transport/media-port.ts'
import { KnownAddresses } from '../ice/known-addresses.ts'
import type { MediaPlane } from '../room/media-plane.ts'
import type { WorkerOptions } from './messages.ts'

/** The port that firewalls and routers are set up for, unless MEDIA_PORT names another. */
const USUAL_PORT = 7882
const LOCAL = ['127.0.0.1', '::1']
/** Media doesn't pass through a reverse proxy, so HOST says nothing about where it arrives. */
const EVERYWHERE = ['0.0.0.0', '::']

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
  const hosts = addresses.isLocal ? LOCAL : EVERYWHERE
  const certificate = createCertificate()
  const open = (port: number): Promise<MediaPort> => openMediaPort({ port, hosts, certificate, onError })
  const mediaPort = await (options.port === null ? openUsual(open) : open(options.port))
  return {
    port: mediaPort.port,
    announced: addresses.announced,
    forwarder: createForwarder({ onError }),
    createTransport: () => mediaPort.createTransport(),
    candidatesFor: (client) => candidatesFor(addresses.own, mediaPort.port, client),
  }
}

/** Two portals on one machine both start. */
async function openUsual(open: (port: number) => Promise<MediaPort>): Promise<MediaPort> {
  try {
    return await open(USUAL_PORT)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return open(0)
    throw error
  }
}
