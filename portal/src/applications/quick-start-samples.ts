interface Place {
  readonly channelId: string
  readonly roomId: string
}

/** Requests to paste into a shell. With a room that the bot can see, they work unchanged. */
export function curlSample(base: string, place: Place | undefined): string {
  const { channelId = 'CHANNEL_ID', roomId = 'ROOM_ID' } = place ?? {}
  return `export PORTICO_KEY=portico_bot_…

curl ${base}/me \\
  -H "Authorization: Bot $PORTICO_KEY"

curl ${base}/rooms/${roomId}/messages \\
  -H "Authorization: Bot $PORTICO_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"channelId": "${channelId}", "text": "Hello from **curl**"}'`
}

/** A bot that says hello and answers /hello. A test runs it as it is shown. */
export function typescriptSample(url: string, place: Place | undefined): string {
  const greeting = place
    ? `
await bot.client.sendMessage({
  channelId: '${place.channelId}',
  roomId: '${place.roomId}',
  text: 'I am online. Write /hello',
})`
    : ''
  return `import { Bot } from '@portico/sdk'

const bot = new Bot({ url: '${url}', key: process.env.PORTICO_KEY })

bot.command('/hello', { description: 'Says hello' }, async (ctx) => {
  await ctx.reply(\`Hello, **\${ctx.author.name}**!\`)
})

await bot.start()${greeting}
console.log('Listening')`
}
