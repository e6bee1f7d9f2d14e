import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { on } from 'node:events'
import { connect, isIPv6 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SignalResponse } from '@livekit/protocol'
import { WebSocket } from 'ws'
import { BINDING_REQUEST, USERNAME, writeMessage } from '../ice/stun.ts'
import { readDescription } from '../sdp/read.ts'
import { SIGNAL_PATH } from '../signal/signal-request.ts'

/** In milliseconds. */
const PATIENCE = 5000
const REPEAT_EVERY = 500

/** An address that the media server announces, and whether a check of ours was answered there. */
export interface ProbedAddress {
  readonly address: string
  readonly port: number
  readonly protocol: 'udp' | 'tcp'
  readonly answers: boolean
}

/** Joins a separate room as a client does, and tries every announced address. */
export async function probeMedia(url: string, token: string): Promise<ProbedAddress[]> {
  const sdp = await firstOffer(url, token)
  const read = readDescription(sdp)
  if (!read.ok) throw new Error('the media server sent no valid offer')
  const check = bindingRequest(read.description)
  const candidates = [...sdp.matchAll(/^a=candidate:\S+ 1 (udp|tcp) \d+ (\S+) (\d+) typ host/gim)]
  return Promise.all(
    candidates.map(async ([, protocol, address = '', port]) => {
      const target = { address, port: Number(port) }
      const isUdp = protocol?.toLowerCase() === 'udp'
      const answers = await (isUdp ? answersUdp(target, check) : answersTcp(target, check))
      return { ...target, protocol: isUdp ? ('udp' as const) : ('tcp' as const), answers }
    }),
  )
}

/** The offer of the connection on which a client receives. */
async function firstOffer(url: string, token: string): Promise<string> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${SIGNAL_PATH}?auto_subscribe=0`, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: PATIENCE,
  })
  const ending = AbortSignal.timeout(PATIENCE)
  try {
    for await (const [bytes] of on(socket, 'message', { signal: ending })) {
      const { message } = SignalResponse.fromBinary(bytes as Buffer)
      if (message.case === 'offer') return message.value.sdp
    }
    throw new Error('the media server closed the connection')
  } finally {
    socket.on('error', () => undefined)
    socket.terminate()
  }
}

function bindingRequest({ ufrag, pwd }: { ufrag: string; pwd: string }): Buffer {
  return writeMessage(BINDING_REQUEST, randomBytes(12), [[USERNAME, Buffer.from(`${ufrag}:doctor`)]], pwd)
}

interface Target {
  readonly address: string
  readonly port: number
}

async function answersUdp({ address, port }: Target, check: Buffer): Promise<boolean> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  let repeating: NodeJS.Timeout | undefined
  try {
    const answered = Promise.withResolvers<boolean>()
    socket.on('message', () => answered.resolve(true))
    socket.on('error', () => answered.resolve(false))
    const send = (): void => socket.send(check, port, address, () => undefined)
    send()
    // A packet may get lost.
    repeating = setInterval(send, REPEAT_EVERY)
    return await Promise.race([answered.promise, sleep(PATIENCE, false)])
  } finally {
    clearInterval(repeating)
    socket.close()
  }
}

async function answersTcp({ address, port }: Target, check: Buffer): Promise<boolean> {
  const socket = connect({ host: address, port })
  try {
    const answered = Promise.withResolvers<boolean>()
    socket.on('data', () => answered.resolve(true))
    socket.on('error', () => answered.resolve(false))
    const length = Buffer.alloc(2)
    length.writeUInt16BE(check.length)
    socket.write(Buffer.concat([length, check]))
    return await Promise.race([answered.promise, sleep(PATIENCE, false)])
  } finally {
    socket.destroy()
  }
}
