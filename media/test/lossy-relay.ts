import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'

export interface BadNetwork {
  /** The share of lost packets, in each direction. */
  readonly loss: number
  readonly delayMs: number
  /** Each packet takes up to this much longer, so that some overtake others. */
  readonly jitterMs: number
}

export interface LossyRelay extends AsyncDisposable {
  readonly port: number
  /** Goes on with other conditions. */
  network: BadNetwork
  /** Gives every client another address on the side of the server, as a router does that has forgotten it. */
  rebind(): void
}

export const PERFECT: BadNetwork = { loss: 0, delayMs: 0, jitterMs: 0 }

/** A bad network in front of a UDP port on this machine. */
export async function startLossyRelay(targetPort: number, conditions: BadNetwork): Promise<LossyRelay> {
  const front = createSocket('udp4')
  const backs = new Map<string, Socket>()
  const underWay = new Set<NodeJS.Timeout>()
  let isOpen = true

  function carry(deliver: () => void) {
    const { loss, delayMs, jitterMs } = relay.network
    if (Math.random() < loss) return
    const timer = setTimeout(
      () => {
        underWay.delete(timer)
        if (isOpen) deliver()
      },
      delayMs + Math.random() * jitterMs,
    )
    underWay.add(timer)
  }

  function backOf(client: RemoteInfo): Socket {
    const key = `${client.address} ${client.port}`
    const known = backs.get(key)
    if (known !== undefined) return known
    const back = createSocket('udp4')
    back.on('message', (packet) => carry(() => front.send(packet, client.port, client.address)))
    back.on('error', () => {})
    backs.set(key, back)
    return back
  }

  front.on('message', (packet, client) => carry(() => backOf(client).send(packet, targetPort, '127.0.0.1')))
  front.on('error', () => {})
  front.bind(0, '127.0.0.1')
  await once(front, 'listening')

  function closeBacks() {
    for (const back of backs.values()) back.close()
    backs.clear()
  }

  const relay: LossyRelay = {
    port: front.address().port,
    network: conditions,
    rebind: closeBacks,
    [Symbol.asyncDispose]() {
      isOpen = false
      for (const timer of underWay) clearTimeout(timer)
      closeBacks()
      front.close()
      return Promise.resolve()
    },
  }
  return relay
}
