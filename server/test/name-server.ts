import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import { atFileEnd } from './file-end.ts'

const TYPE_A = 1
const TYPE_AAAA = 28

/** A DNS server for tests with configurable answers. */
export class NameServer {
  readonly #socket: Socket
  /** Returns the addresses of a name. Called for each query, so that answers can change. */
  answer: (name: string) => readonly string[] | Promise<readonly string[]> = () => []
  /** The names whose IPv4 addresses were queried. */
  readonly requested: string[] = []

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('message', (query, { port, address }) => {
      void this.#reply(query).then((reply) => socket.send(reply, port, address))
    })
  }

  /** Listens until the end of the test file. */
  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    atFileEnd(() => new Promise<void>((resolve) => socket.close(resolve)))
    return new NameServer(socket)
  }

  /** In the format of the setting. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  async #reply(query: Buffer): Promise<Buffer> {
    const labels: string[] = []
    let at = 12
    for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
      labels.push(query.toString('ascii', at + 1, at + 1 + length))
      at += 1 + length
    }
    const type = query.readUInt16BE(at + 1)
    const question = query.subarray(12, at + 5)
    const name = labels.join('.').toLowerCase()
    if (type === TYPE_A) this.requested.push(name)
    const fitting = (await this.answer(name)).filter((address) => isIPv4(address) === (type === TYPE_A))
    const records = type === TYPE_A || type === TYPE_AAAA ? fitting.map((address) => record(type, address)) : []
    const head = Buffer.alloc(12)
    head.writeUInt16BE(query.readUInt16BE(0), 0)
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    return Buffer.concat([head, question, ...records])
  }
}

function record(type: number, address: string): Buffer {
  const data = bytesOf(address)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(0, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

/** Encodes a dotted IPv4 address, or an IPv6 address with all eight groups. */
function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  return Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  )
}
