/**
 * Mutes people who flood a channel. Why is in the channel's audit log.
 *
 *     PORTICO_URL=http://localhost:3000 PORTICO_KEY=portico_bot_… node examples/moderator.ts
 *
 * Scopes of its key: events, messages:write, moderation. Install it as a moderator.
 */
import { Bot, ForbiddenError } from '@portico/sdk'

const MESSAGES = 5
const WITHIN_MS = 10_000
const MUTE_SEC = 60

const { PORTICO_URL: url = 'http://localhost:3000', PORTICO_KEY: key } = process.env
const bot = new Bot({ url, key })
/** When everyone wrote their latest messages, by channel and person. */
const latest = new Map<string, number[]>()

bot.on('message.created', async (ctx) => {
  const { author, channelId, timestamp } = ctx
  if (author.id === bot.profile.bot.id) return
  const who = `${channelId} ${author.id}`
  // The time of the event, not of its arrival: a bot that was away gets everything at once.
  const now = Date.parse(timestamp)
  const times = [...(latest.get(who) ?? []), now].filter((time) => time > now - WITHIN_MS)
  latest.set(who, times)
  if (times.length <= MESSAGES) return
  latest.delete(who)
  try {
    await ctx.muteAuthor({
      durationSec: MUTE_SEC,
      reason: `Flood: ${times.length} messages in ${WITHIN_MS / 1000} seconds`,
    })
    await ctx.say(`**${author.name}** is muted for ${MUTE_SEC} seconds: that was a little fast.`)
  } catch (error) {
    // Nobody mutes the owner, or someone of their own rank.
    if (!(error instanceof ForbiddenError)) throw error
    console.log(`${author.name} can't be muted: ${error.message}`)
  }
})

await bot.run()
