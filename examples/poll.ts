/**
 * Polls: `/poll "Where do we have lunch?" "The harbour" Upstairs`. People vote with reactions, and the message counts them.
 *
 *     PORTICO_URL=http://localhost:3000 PORTICO_KEY=portico_bot_… node examples/poll.ts
 *
 * Scopes of its key: commands, events, messages:write.
 */
import { Bot } from '@portico/sdk'

const EMOJI = ['1️⃣', '2️⃣', '3️⃣', '4️⃣', '5️⃣', '6️⃣', '7️⃣', '8️⃣', '9️⃣']
/** A message can be edited for 30 minutes; votes after that aren't counted. */
const OPEN_MS = 29 * 60_000

interface Poll {
  readonly question: string
  readonly options: { readonly emoji: string; readonly name: string; votes: number }[]
}

const { PORTICO_URL: url = 'http://localhost:3000', PORTICO_KEY: key } = process.env
const bot = new Bot({ url, key })
/** The open polls, by message. */
const polls = new Map<string, Poll>()

bot.command('/poll', { description: 'Start a poll', usage: '"<question>" <option> <option> …' }, async (ctx) => {
  const [question, ...names] = ctx.args
  if (question === undefined || names.length < 2 || names.length > EMOJI.length) {
    await ctx.reply(`A poll has a question and 2–${EMOJI.length} options: \`/poll "Lunch?" Soup "Fish and chips"\``)
    return
  }
  const poll = { question, options: names.map((name, nth) => ({ emoji: EMOJI[nth] ?? '', name, votes: 0 })) }
  const { id: messageId } = await ctx.say(describe(poll))
  polls.set(messageId, poll)
  setTimeout(() => polls.delete(messageId), OPEN_MS)
  const { channelId, roomId } = ctx
  for (const { emoji } of poll.options) await bot.client.addReaction({ channelId, roomId, messageId, emoji })
})

for (const name of ['reaction.added', 'reaction.removed'] as const) {
  bot.on(name, async (ctx) => {
    const { messageId, emoji, totalCount, user } = ctx.data
    const poll = polls.get(messageId)
    const option = poll?.options.find((each) => each.emoji === emoji)
    if (!poll || !option || user.id === bot.profile.bot.id) return
    // One of the reactions is the bot's own.
    option.votes = totalCount - 1
    await ctx.edit(messageId, describe(poll))
  })
}

function describe({ question, options }: Poll): string {
  return [`**${question}**`, ...options.map(({ emoji, name, votes }) => `${emoji} ${name}: ${votes}`)].join('\n')
}

await bot.run()
