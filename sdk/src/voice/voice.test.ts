import { describe, expect, test } from 'vitest'
import { channelFixture, portal } from '../../../server/test/channel-fixture.ts'
import { freePort } from '../../../server/test/free-port.ts'
import { MEDIA_ON } from '../../../server/test/start-server.ts'
import { voiceOccupants } from '../../../server/test/voice-occupants.ts'
import { botOf } from '../../test/start-bot.ts'
import { PorticoError, readWav, writeWav } from '../index.ts'

const RATE = 48_000

/** A tone, as a WAV file. */
function tone(frequency: number, seconds: number): Uint8Array {
  const wave = (_: unknown, position: number) => 8000 * Math.sin((2 * Math.PI * frequency * position) / RATE)
  return writeWav({ sampleRate: RATE, channels: 1, samples: Int16Array.from({ length: RATE * seconds }, wave) })
}

/**
 * How much of a sound is a tone of this frequency, from 0 to 1, in its purest twentieth of a second: on a busy machine
 * packets arrive late, and the tone has gaps.
 */
function share(wav: Uint8Array, frequency: number): number {
  const { samples } = readWav(wav)
  const length = RATE / 20
  const shares = Array.from({ length: Math.max(0, Math.floor(samples.length / length)) }, (_, part) => {
    const piece = samples.subarray(part * length, (part + 1) * length)
    const total = piece.reduce((sum, sample) => sum + sample * sample, 0)
    let [real, imaginary] = [0, 0]
    for (const [at, sample] of piece.entries()) {
      const angle = (2 * Math.PI * frequency * at) / RATE
      real += sample * Math.cos(angle)
      imaginary += sample * Math.sin(angle)
    }
    return total === 0 ? 0 : (2 * (real * real + imaginary * imaginary)) / (piece.length * total)
  })
  return Math.max(0, ...shares)
}

describe('a bot in a voice room', () => {
  test('plays a file that another bot records, and knows who spoke', async () => {
    const port = await freePort()
    await portal({ ...MEDIA_ON, PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` })
    const fixture = await channelFixture({ bots: 2, room: 'voice' })
    const { server, bots, room } = fixture
    const [speaker, listener] = bots.map((bot) => botOf(server, bot))
    await Promise.all([speaker?.start(), listener?.start()])
    const [spoken, heard] = [await speaker?.voice.join(room.id), await listener?.voice.join(room.id)]
    expect(spoken).toMatchObject({ canPublish: true, identity: bots[0].id })
    const { inside } = voiceOccupants(fixture)
    expect(await inside()).toHaveLength(2)

    const [playing, recording] = [await spoken?.connect(), await heard?.connect()]
    const done = new AbortController()
    const recordings = recording?.record({ signal: done.signal })
    await playing?.play(tone(440, 10))
    done.abort()
    const [recorded, ...others] = (await recordings) ?? []
    expect(others).toEqual([])
    expect(recorded?.userId).toBe(bots[0].id)
    expect(share(recorded?.wav ?? new Uint8Array(), 440)).toBeGreaterThan(0.8)

    await spoken?.leave()
    await heard?.leave()
    expect(await inside()).toEqual([])
  })

  test('says that a room is in none of its channels', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const bot = botOf(server, bots[0])
    await bot.start()
    await expect(bot.voice.join('01a05bfb-75ac-7d20-b8a4-1e7f3c5d9a68')).rejects.toBeInstanceOf(PorticoError)
  })
})

describe('readWav', () => {
  test('reads what writeWav wrote', () => {
    const pcm = { sampleRate: 16_000, channels: 2, samples: Int16Array.of(1, -2, 32_767, -32_768) }
    expect(readWav(writeWav(pcm))).toEqual(pcm)
  })

  test('skips chunks that it doesn’t know', () => {
    const file = writeWav({ sampleRate: 8000, channels: 1, samples: Int16Array.of(1, 2) })
    const unknown = new TextEncoder().encode('LIST\u0003\0\0\0abc\0')
    const longer = new Uint8Array([...file.subarray(0, 12), ...unknown, ...file.subarray(12)])
    expect(readWav(longer).samples).toEqual(Int16Array.of(1, 2))
  })

  test.each([
    ['an empty file', new Uint8Array()],
    ['another file', new TextEncoder().encode('ID3 something else')],
    ['floating-point samples', withFormat(3)],
  ])('refuses %s', (_, file) => {
    expect(() => readWav(file)).toThrow(TypeError)
  })
})

function withFormat(format: number): Uint8Array {
  const file = writeWav({ sampleRate: 8000, channels: 1, samples: Int16Array.of(1, 2) })
  file[20] = format
  return file
}
