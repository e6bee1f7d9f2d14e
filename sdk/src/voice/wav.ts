/** Sound as 16-bit samples, those of several channels in turn. */
export interface Pcm {
  readonly sampleRate: number
  readonly channels: number
  readonly samples: Int16Array<ArrayBuffer>
}

const HEADER = 44
const PCM = 1

/** Reads a WAV file with 16-bit PCM. */
export function readWav(file: Uint8Array): Pcm {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const name = (at: number): string => String.fromCharCode(...file.subarray(at, at + 4))
  if (file.length < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE') throw new TypeError('This isn’t a WAV file.')
  let format: Omit<Pcm, 'samples'> | undefined
  for (let at = 12; at + 8 <= file.length;) {
    const size = view.getUint32(at + 4, true)
    const content = at + 8
    if (name(at) === 'fmt ') {
      if (view.getUint16(content, true) !== PCM || view.getUint16(content + 14, true) !== 16)
        throw new TypeError('Only WAV files with 16-bit PCM can be played.')
      format = { channels: view.getUint16(content + 2, true), sampleRate: view.getUint32(content + 4, true) }
    } else if (name(at) === 'data' && format) {
      const length = Math.floor(Math.min(size, file.length - content) / 2)
      const samples = Int16Array.from({ length }, (_, index) => view.getInt16(content + 2 * index, true))
      return { ...format, samples }
    }
    // Chunks begin at even positions.
    at = content + size + (size % 2)
  }
  throw new TypeError('This WAV file has no sound.')
}

/** Makes a WAV file with 16-bit PCM. */
export function writeWav({ sampleRate, channels, samples }: Pcm): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER + samples.length * 2)
  const view = new DataView(bytes.buffer)
  const text = (at: number, value: string): void => bytes.set(new TextEncoder().encode(value), at)
  text(0, 'RIFF')
  view.setUint32(4, bytes.length - 8, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, PCM, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, samples.length * 2, true)
  for (const [index, sample] of samples.entries()) view.setInt16(HEADER + 2 * index, sample, true)
  return bytes
}
