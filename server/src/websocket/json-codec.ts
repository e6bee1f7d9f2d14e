import type { Codec, Command, ConnectRequest, Reply, SubscribeRequest } from './protocol.ts'

const OTHERS = ['publish', 'presence', 'presence_stats', 'history', 'rpc', 'sub_refresh', 'send'] as const

export const jsonCodec: Codec = {
  binary: false,
  ping: '{}',
  decode: (frame) => {
    const lines = frame
      .toString()
      .split('\n')
      .filter((line) => line.trim() !== '')
    if (lines.length === 0) throw new Error('an empty frame')
    return lines.map(parseCommand)
  },
  encode: (reply: Reply) => JSON.stringify(reply),
  push: (channel, { data, offset }) =>
    Buffer.from(
      `{"push":{"channel":${JSON.stringify(channel)},"pub":{"data":${data}${offset === undefined ? '' : `,"offset":${offset}`}}}}`,
    ),
}

type Fields = Record<string, unknown>

function parseCommand(line: string): Command {
  const fields = requireObject(JSON.parse(line))
  const id = requireNumber(fields['id'])
  if (fields['connect'] !== undefined) return { id, connect: parseConnect(requireObject(fields['connect'])) }
  if (fields['subscribe'] !== undefined) return { id, subscribe: parseSubscribe(requireObject(fields['subscribe'])) }
  if (fields['unsubscribe'] !== undefined) {
    return { id, unsubscribe: { channel: requireText(requireObject(fields['unsubscribe'])['channel']) } }
  }
  if (fields['refresh'] !== undefined)
    return { id, refresh: { token: requireText(requireObject(fields['refresh'])['token']) } }
  if (fields['ping'] !== undefined) return { id, ping: true }
  const other = OTHERS.find((name) => fields[name] !== undefined)
  if (other) return { id, other }
  return id === 0 ? { id } : { id, other: 'unknown' }
}

function parseConnect(fields: Fields): ConnectRequest {
  return {
    token: requireText(fields['token']),
    name: requireText(fields['name']),
    version: requireText(fields['version']),
  }
}

function parseSubscribe(fields: Fields): SubscribeRequest {
  return {
    channel: requireText(fields['channel']),
    recover: fields['recover'] === true,
    epoch: requireText(fields['epoch']),
    offset: requireNumber(fields['offset']),
    flag: requireNumber(fields['flag']),
    type: requireNumber(fields['type']),
    hasTagsFilter: fields['tf'] !== undefined && fields['tf'] !== null,
  }
}

function requireObject(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
  return { ...value }
}

function requireText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new Error('not a string')
  return value
}

function requireNumber(value: unknown): number {
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Error('not a whole number')
  return value
}
