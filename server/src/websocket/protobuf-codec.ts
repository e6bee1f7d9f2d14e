import { PbfReader, PbfWriter } from 'pbf'
import type { ErrorReply } from '../events/stream-codes.ts'
import type { Codec, Command, ConnectResult, Reply, SubscribeRequest, SubscribeResult } from './protocol.ts'

/** Field numbers are those of the protocol's schema; unknown fields are skipped. */
export const protobufCodec: Codec = {
  binary: true,
  ping: Uint8Array.of(0),
  decode: (frame) => {
    if (frame.length === 0) throw new Error('an empty frame')
    const reader = new PbfReader(frame)
    const commands: Command[] = []
    while (reader.pos < frame.length) {
      const end = reader.readVarint() + reader.pos
      if (end > frame.length) throw new Error('a frame that ends within a command')
      commands.push(reader.readFields(readCommand, { id: 0 }, end))
    }
    return commands
  },
  encode: (reply) => delimited(writeReply, reply),
  push: (channel, { data, offset }) => delimited(writePushReply, { channel, data: Buffer.from(data), offset }),
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const OTHERS: Readonly<Record<number, NonNullable<Command['other']>>> = {
  7: 'publish',
  8: 'presence',
  9: 'presence_stats',
  10: 'history',
  12: 'send',
  13: 'rpc',
  15: 'sub_refresh',
}

function readCommand(tag: number, command: Mutable<Command>, reader: PbfReader): void {
  const other = OTHERS[tag]
  if (tag === 1) command.id = reader.readVarint()
  else if (tag === 4) command.connect = reader.readMessage(readConnect, { token: '', name: '', version: '' })
  else if (tag === 5) command.subscribe = reader.readMessage(readSubscribe, { ...NO_SUBSCRIPTION })
  else if (tag === 6) command.unsubscribe = reader.readMessage(readChannel, { channel: '' })
  else if (tag === 11) command.ping = true
  else if (tag === 14) command.refresh = reader.readMessage(readToken, { token: '' })
  else if (other) command.other = other
  else command.other = 'unknown'
}

const NO_SUBSCRIPTION: SubscribeRequest = {
  channel: '',
  recover: false,
  epoch: '',
  offset: 0,
  flag: 0,
  type: 0,
  hasTagsFilter: false,
}

function readConnect(tag: number, request: { token: string; name: string; version: string }, reader: PbfReader): void {
  if (tag === 1) request.token = reader.readString()
  else if (tag === 4) request.name = reader.readString()
  else if (tag === 5) request.version = reader.readString()
}

function readSubscribe(tag: number, request: Mutable<SubscribeRequest>, reader: PbfReader): void {
  if (tag === 1) request.channel = reader.readString()
  else if (tag === 3) request.recover = reader.readBoolean()
  else if (tag === 6) request.epoch = reader.readString()
  else if (tag === 7) request.offset = reader.readVarint()
  else if (tag === 13) request.hasTagsFilter = true
  else if (tag === 14) request.flag = reader.readVarint()
  else if (tag === 15) request.type = reader.readVarint()
}

function readChannel(tag: number, request: { channel: string }, reader: PbfReader): void {
  if (tag === 1) request.channel = reader.readString()
}

function readToken(tag: number, request: { token: string }, reader: PbfReader): void {
  if (tag === 1) request.token = reader.readString()
}

function delimited<T>(write: (message: T, writer: PbfWriter) => void, message: T): Buffer {
  const writer = new PbfWriter()
  writer.writeRawMessage(write, message)
  const { buffer, byteOffset, byteLength } = writer.finish()
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** An empty result must be present: some clients treat a reply without one as broken. */
function writeReply(reply: Reply, writer: PbfWriter): void {
  writer.writeVarintField(1, reply.id)
  if ('error' in reply) writer.writeMessage(2, writeError, reply.error)
  else if ('connect' in reply) writer.writeMessage(5, writeConnect, reply.connect)
  else if ('subscribe' in reply) writer.writeMessage(6, writeSubscribe, reply.subscribe)
  else if ('unsubscribe' in reply) writer.writeMessage(7, writeNothing, {})
  else if ('ping' in reply) writer.writeMessage(12, writeNothing, {})
  else writer.writeMessage(14, writeConnect, reply.refresh)
}

function writeError({ code, message, temporary }: ErrorReply, writer: PbfWriter): void {
  writer.writeVarintField(1, code)
  writer.writeStringField(2, message)
  if (temporary) writer.writeBooleanField(3, true)
}

function writeConnect(result: Partial<ConnectResult>, writer: PbfWriter): void {
  writer.writeStringField(1, result.client ?? '')
  writer.writeStringField(2, result.version ?? '')
  if (result.expires) writer.writeBooleanField(3, true)
  if (result.ttl) writer.writeVarintField(4, result.ttl)
  if (result.ping) writer.writeVarintField(7, result.ping)
  if (result.pong) writer.writeBooleanField(8, true)
}

function writeSubscribe(result: SubscribeResult | object, writer: PbfWriter): void {
  if (!('epoch' in result)) return
  writer.writeBooleanField(3, true)
  writer.writeStringField(6, result.epoch)
  if (result.recovered) writer.writeBooleanField(8, true)
  if (result.offset > 0) writer.writeVarintField(9, result.offset)
  writer.writeBooleanField(10, true)
  if (result.was_recovering) writer.writeBooleanField(12, true)
}

function writeNothing(): void {}

interface PushedEvent {
  readonly channel: string
  readonly data: Uint8Array
  readonly offset: number | undefined
}

function writePushReply(push: PushedEvent, writer: PbfWriter): void {
  writer.writeMessage(4, writePush, push)
}

function writePush(push: PushedEvent, writer: PbfWriter): void {
  writer.writeStringField(2, push.channel)
  writer.writeMessage(4, writePublication, push)
}

function writePublication({ data, offset }: PushedEvent, writer: PbfWriter): void {
  writer.writeBytesField(4, data)
  if (offset !== undefined) writer.writeVarintField(6, offset)
}
