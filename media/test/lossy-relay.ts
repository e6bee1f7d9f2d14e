import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createDirection, type BadNetwork, type NetworkDirection } from './network-direction.ts'

export type { BadNetwork } from './network-direction.ts'

export interface LossyRelay extends AsyncDisposable {
  readonly port: number
  /** Goes on with other conditions, from their beginning. */
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
  let network = conditions
  let [there, back] = [createDirection(network), createDirection(network)]

  function carry(direction: NetworkDirection, packet: Buffer, deliver: () => void) {
    const delay = direction(packet.length, performance.now())
    if (delay === null) return
    const timer = setTimeout(() => {
      underWay.delete(timer)
      if (isOpen) deliver()
    }, delay)
    underWay.add(timer)
  }

  function backOf(client: RemoteInfo): Socket {
    const key = `${client.address} ${client.port}`
    const known = backs.get(key)
    if (known !== undefined) return known
    const socket = createSocket('udp4')
    socket.on('message', (packet) => carry(back, packet, () => front.send(packet, client.port, client.address)))
    socket.on('error', () => {})
    backs.set(key, socket)
    return socket
  }

  front.on('message', (packet, client) => {
    carry(there, packet, () => backOf(client).send(packet, targetPort, '127.0.0.1'))
  })
  front.on('error', () => {})
  front.bind(0, '127.0.0.1')
  await once(front, 'listening')

  function closeBacks() {
    for (const socket of backs.values()) socket.close()
    backs.clear()
  }

  const relay: LossyRelay = {
    port: front.address().port,
    get network() {
      return network
    },
    set network(next) {
      network = next
      there = createDirection(next)
      back = createDirection(next)
    },
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
