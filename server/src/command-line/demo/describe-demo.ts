import { demoPath, type Demo } from './demo-file.ts'
import type { Config } from '../../config/config.ts'
import { PEOPLE } from './people.ts'

/** Printed after the start: sign-in details, and a command to paste that makes a bot send a message. */
export function describeDemo({ url, apiUrl, people, channels, applications }: Demo, config: Config): string[] {
  const width = Math.max(...people.map(({ name }) => name.length))
  return [
    'Sign in as',
    ...people.map(({ name, password }) => {
      const note = name === PEOPLE.ada.name ? '   administrator' : ''
      return `  ${name.padEnd(width)}   ${password}${note}`
    }),
    '',
    ...tryIt(apiUrl, channels, applications),
    ...signInToIt(url, applications),
    `All of this is in ${demoPath(config)}.`,
    '',
  ]
}

function tryIt(apiUrl: string, channels: Demo['channels'], applications: Demo['applications']): string[] {
  const [application] = applications
  const [channel] = channels
  const room = channel?.rooms.find(({ name }) => name === 'bot-yard')
  if (!application || !channel || !room) return []
  const body = JSON.stringify({ channelId: channel.id, text: 'Hello from **curl**' })
  return [
    `The bots are online: write /help, /deploy tramline 1.4.1 or /today in #${room.name}. Speak as ${application.name}`,
    `  curl ${apiUrl}/rooms/${room.id}/messages -H 'Authorization: Bot ${application.key}' -H 'Content-Type: application/json' -d '${body}'`,
    '',
  ]
}

function signInToIt(url: string, applications: Demo['applications']): string[] {
  const application = applications.find(({ clientSecret }) => clientSecret !== null)
  if (!application) return []
  const { name, clientId, clientSecret } = application
  return [
    `Sign in to a website with ${name}`,
    `  PORTICO_URL=${url} CLIENT_ID=${clientId} CLIENT_SECRET=${clientSecret} node examples/sign-in-website.ts`,
    '',
  ]
}
