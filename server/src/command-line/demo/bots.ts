import type { Command, Scope } from '@portico/contract'
import type { PersonKey } from './people.ts'

export interface DemoBot {
  readonly name: string
  readonly owner: PersonKey
  readonly scopes: readonly Scope[]
  /** The redirect URI of `examples/sign-in-website.ts`. */
  readonly redirectUri?: string
  readonly commands: readonly Pick<Command, 'name' | 'description' | 'usage' | 'options'>[]
}

/** Two applications with commands. Both declare `/help`: the portal lists it once for each. */
export const BOTS = {
  shipyard: {
    name: 'Shipyard',
    owner: 'ada',
    scopes: ['channel:read', 'messages:read', 'messages:write', 'voice', 'events', 'moderation', 'commands'],
    redirectUri: 'http://localhost:4000/signed-in',
    commands: [
      {
        name: '/deploy',
        description: 'Deploy a build',
        usage: '<service> [version]',
        options: [
          {
            name: 'service',
            type: 'string',
            description: 'tramline, feed or hallway',
            required: true,
            max: 40,
            suggestions: true,
          },
          { name: 'version', type: 'string', description: 'Such as 1.4.1', max: 40, suggestions: true },
        ],
      },
      { name: '/status', description: 'What runs where', usage: null },
      { name: '/rollback', description: 'Go back to the build before', usage: '<service>' },
      { name: '/help', description: 'What Shipyard can do', usage: null },
    ],
  },
  almanac: {
    name: 'Almanac',
    owner: 'darya',
    scopes: ['channel:read', 'messages:read', 'messages:write', 'events', 'commands'],
    commands: [
      { name: '/небо', description: 'Что видно сегодня ночью', usage: '[город]' },
      { name: '/weather', description: 'Clouds, wind and temperature', usage: '[city]' },
      { name: '/today', description: 'The date and the moon', usage: null },
      { name: '/напомни', description: 'Напомнить о чём-нибудь позже', usage: '<минуты> <о чём>' },
      { name: '/help', description: 'What Almanac can do', usage: null },
    ],
  },
} as const satisfies Record<string, DemoBot>

export type BotKey = keyof typeof BOTS
