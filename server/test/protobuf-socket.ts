import { once } from 'node:events'
import { PbfReader, PbfWriter } from 'pbf'
import { WebSocket } from 'ws'
import type { Closed } from './raw-socket.ts'
import { socketUrl } from './raw-socket.ts'
import type { TestServer } from './start-server.ts'

const METHODS = {
  connect: 4,
  subscribe: 5,
  unsubscribe: 6,
  publish: 7,
  presence: 8,
  presence_stats: 9,
  history: 10,
  ping: 11,
  send: 12,
  rpc: 13,
  refresh: 14,
  sub_refresh: 15,
  /** Of no version of the protocol. */
  dance: 99,
} as const

export type Method = keyof typeof METHODS

/** The fields of a reply that tests use. */
export interface ProtobufReply {
  id: number
  code?: number
  /** The field numbers of its results. */
  results: number[]
}

/** A low-level client of the protocol's Protobuf encoding. */
export class ProtobufSocket {
  readonly closed: Promise<Closed>
  readonly #socket: WebSocket
  readonly #replies: ProtobufReply[] = []
  #waiting: (() => void)[] = []

  private constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = once(socket, 'close').then(([code, reason]: unknown[]) => ({
      code: Number(code),
      reason: String(reason),
    }))
    socket.on('message', (data: Buffer) => {
      const reader = new PbfReader(data)
      while (reader.pos < data.length) {
        const end = reader.readVarint() + reader.pos
        this.#replies.push(reader.readFields(readReply, { id: 0, results: [] }, end))
      }
      for (const waiting of this.#waiting.splice(0)) waiting()
    })
  }

  static async open(server: Pick<TestServer, 'url'>): Promise<ProtobufSocket> {
    const socket = new WebSocket(socketUrl(server), 'centrifuge-protobuf')
    await once(socket, 'open')
    return new ProtobufSocket(socket)
  }

  /** Sends a command whose request has one string in field 1. */
  send(id: number, method: Method, text = ''): void {
    const writer = new PbfWriter()
    writer.writeRawMessage((_, command) => {
      if (id !== 0) command.writeVarintField(1, id)
      command.writeMessage(METHODS[method], (_request, request) => request.writeStringField(1, text), undefined)
    }, undefined)
    this.#socket.send(writer.finish())
  }

  /** Sends a command and returns the reply. */
  async ask(id: number, method: Method, text?: string): Promise<ProtobufReply> {
    this.send(id, method, text)
    for (;;) {
      const reply = this.#replies.find((one) => one.id === id)
      if (reply) return reply
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }
}

function readReply(tag: number, reply: ProtobufReply, reader: PbfReader): void {
  if (tag === 1) reply.id = reader.readVarint()
  else if (tag === 2) reply.code = reader.readMessage(readError, { code: 0 }).code
  else reply.results.push(tag)
}

function readError(tag: number, error: { code: number }, reader: PbfReader): void {
  if (tag === 1) error.code = reader.readVarint()
}
