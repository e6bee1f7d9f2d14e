/**
 * Plays a chime, or a WAV file of your own, to everyone who joins a voice room. Needs the package `@livekit/rtc-node`.
 *
 *     PORTICO_URL=http://localhost:3000 PORTICO_KEY=portico_bot_… node examples/voice-announcer.ts [welcome.wav]
 *
 * Scopes of its key: events, voice.
 */
import { readFile } from 'node:fs/promises'
import { Bot, writeWav } from '@portico/sdk'

const SAMPLE_RATE = 48_000

const { PORTICO_URL: url = 'http://localhost:3000', PORTICO_KEY: key } = process.env
const [path] = process.argv.slice(2)
const sound = path === undefined ? chime() : await readFile(path)
const bot = new Bot({ url, key })

// The voice events of a channel come one after another, so the bot is in one room at a time.
bot.on('voice.member_joined', async ({ channelId, data: { roomId, user } }) => {
  if (user.id === bot.profile.bot.id) return
  const room = await bot.voice.join(roomId, { channelId })
  try {
    const connection = await room.connect()
    await connection.play(sound)
  } finally {
    await room.leave()
  }
})

/** Two seconds of a tone that fades away. */
function chime(): Uint8Array {
  const samples = Int16Array.from({ length: 2 * SAMPLE_RATE }, (_, at) => {
    const seconds = at / SAMPLE_RATE
    return 12_000 * Math.exp(-seconds) * Math.sin(2 * Math.PI * 660 * seconds)
  })
  return writeWav({ sampleRate: SAMPLE_RATE, channels: 1, samples })
}

await bot.run()
