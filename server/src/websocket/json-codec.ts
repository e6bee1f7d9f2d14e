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
    return lines.map(commandOf)
  },
  encode: (reply: Reply) => JSON.stringify(reply),
  push: (channel, { data, offset }) =>
    Buffer.from(
      `{"push":{"channel":${JSON.stringify(channel)},"pub":{"data":${data}${offset === undefined ? '' : `,"offset":${offset}`}}}}`,
    ),
}

type Fields = Record<string, unknown>

function commandOf(line: string): Command {
  const fields = objectOf(JSON.parse(line))
  const id = numberOf(fields['id'])
  if (fields['connect'] !== undefined) return { id, connect: connectOf(objectOf(fields['connect'])) }
  if (fields['subscribe'] !== undefined) return { id, subscribe: subscribeOf(objectOf(fields['subscribe'])) }
  if (fields['unsubscribe'] !== undefined) {
    return { id, unsubscribe: { channel: textOf(objectOf(fields['unsubscribe'])['channel']) } }
  }
  if (fields['refresh'] !== undefined) return { id, refresh: { token: textOf(objectOf(fields['refresh'])['token']) } }
  if (fields['ping'] !== undefined) return { id, ping: true }
  const other = OTHERS.find((name) => fields[name] !== undefined)
  if (other) return { id, other }
  return id === 0 ? { id } : { id, other: 'unknown' }
}

function connectOf(fields: Fields): ConnectRequest {
  return { token: textOf(fields['token']), name: textOf(fields['name']), version: textOf(fields['version']) }
}

function subscribeOf(fields: Fields): SubscribeRequest {
  return {
    channel: textOf(fields['channel']),
    recover: fields['recover'] === true,
    epoch: textOf(fields['epoch']),
    offset: numberOf(fields['offset']),
    flag: numberOf(fields['flag']),
    type: numberOf(fields['type']),
    hasTagsFilter: fields['tf'] !== undefined && fields['tf'] !== null,
  }
}

function objectOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
  return { ...value }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new Error('not a text')
  return value
}

function numberOf(value: unknown): number {
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Error('not a whole number')
  return value
}
