const RATE = 48_000
const SECONDS = 4

/**
 * Continuous speech as a WAV file. The beep of Chromium's own fake microphone is too short for a media server to detect
 * as speech, and an even tone is filtered out as noise.
 */
export function fakeMicrophone(): Buffer {
  const samples = Buffer.alloc(RATE * SECONDS * 2)
  let phase = 0
  for (let at = 0; at < RATE * SECONDS; at += 1) {
    const time = at / RATE
    // A changing pitch, and syllables that swell and fade; both loop at the end of the file.
    phase += (2 * Math.PI * (150 + 30 * Math.sin(2 * Math.PI * 0.75 * time))) / RATE
    const syllable = 0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * time)
    let sum = 0
    for (let harmonic = 1; harmonic <= 16; harmonic += 1) sum += Math.sin(harmonic * phase) / harmonic
    samples.writeInt16LE(Math.round(9000 * syllable * sum), at * 2)
  }
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  // PCM, mono, 16 bits.
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}
