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

/** A bot that answers /hello. A test runs it as it is shown. */
export function typescriptSample(base: string): string {
  return `import { Centrifuge } from 'centrifuge'

const api = '${base}'
const headers = {
  authorization: \`Bot \${process.env.PORTICO_KEY}\`,
  'content-type': 'application/json',
}

async function call(method: string, path: string, body?: object) {
  const response = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw new Error(\`\${path}: \${answer.message}\`)
  return answer
}

const { url, channel } = await call('GET', '/events/token')
const stream = new Centrifuge(url, { getToken: async () => (await call('GET', '/events/token')).token })
const events = stream.newSubscription(channel)

events.on('publication', async ({ data: { event, channelId, data } }) => {
  if (event !== 'message.created' || data.message.text !== '/hello') return
  const text = \`Hello, **\${data.message.author.name}**!\`
  await call('POST', \`/rooms/\${data.roomId}/messages\`, { channelId, text, replyToId: data.message.id })
})
events.on('subscribed', () => console.log('Listening'))
events.subscribe()
stream.connect()`
}
