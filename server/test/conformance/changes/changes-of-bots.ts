import { QUOTAS } from '../../access-fixture.ts'
import { expectOk } from '../../expect-ok.ts'
import { install, mute, ON_CHANNEL, remove, roles, unmute, WITH_KEY, type Change } from './change.ts'

/** A picture of one point. */
const PICTURE = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)

export const changesOfBots: readonly Change[] = [
  {
    title: 'the key is re-issued',
    make: ({ maker, application }) => maker.put(`${application}/key`, { scopes: ['channel:read'] }),
    seen: WITH_KEY,
  },
  {
    title: 'the key is re-issued with fewer scopes, and used',
    make: async ({ maker, application, bot }) => {
      const issued = await maker.put<{ key: string }>(`${application}/key`, {
        scopes: ['channel:read', 'messages:read'],
      })
      bot.key = issued.body.key
      return issued
    },
    seen: ['send', 'send in private', 'edit', 'react', 'pin', 'voice', 'commands', 'events token', 'mute Bob'],
  },
  { title: 'the bot revokes its key', make: ({ bot }) => bot.delete('/key'), seen: WITH_KEY },
  {
    title: 'the application is deleted',
    make: ({ maker, application }) => maker.delete(application, { name: 'Clerk' }),
    seen: WITH_KEY,
  },
  {
    title: 'the application is renamed',
    make: ({ maker, application }) => maker.patch(application, { name: 'Scribe' }),
    seen: ['me', 'members', 'send', 'send in private', 'history', 'person: history'],
  },
  {
    title: 'the bot is given a picture',
    make: ({ maker, application }) =>
      maker.request('PUT', `${application}/picture`, PICTURE, { 'content-type': 'image/png' }),
    seen: ['me', 'members'],
  },
  {
    title: 'the picture of the bot is taken away',
    given: ({ maker, application }) =>
      maker.request('PUT', `${application}/picture`, PICTURE, { 'content-type': 'image/png' }),
    make: ({ maker, application }) => maker.delete(`${application}/picture`),
    seen: ['me', 'members'],
  },
  {
    title: 'an operator sets other quotas',
    make: ({ administrator, application }) =>
      administrator.put(`${application}/limits`, { requests: 70_000, writes: 30_000 }),
    undo: ({ administrator, application }) => administrator.put(`${application}/limits`, QUOTAS),
    seen: WITH_KEY,
  },
  {
    title: 'the commands are replaced',
    make: ({ bot }) => bot.put('/commands', { commands: [{ name: '/file', description: 'Files it' }] }),
    undo: ({ bot }) => bot.put('/commands', { commands: [] }),
    seen: ['commands'],
  },
  {
    title: 'the owner of the application is renamed',
    make: ({ maker }) => maker.patch('/account', { name: `${maker.name} Jr` }),
    undo: ({ maker }) => maker.patch('/account', { name: maker.name }),
    seen: ['me'],
  },
  {
    title: 'the owner of the application deletes the account',
    make: ({ maker }) => maker.post('/account/deletion', { password: maker.password }),
    seen: WITH_KEY,
  },

  {
    title: 'the application is installed elsewhere',
    make: async ({ newPerson, application }) => {
      const other = await newPerson()
      const { id } = expectOk(await other.post<{ id: string }>('/channels', { name: 'Yards', open: false }))
      return other.put(`/channels/${id}${application}`, {})
    },
    seen: ['me'],
  },
  { title: 'the application is removed from the channel', make: remove, seen: ['me', ...ON_CHANNEL] },
  {
    title: 'the application is installed again',
    given: remove,
    reads: ['places'],
    make: (fixture) => install(fixture),
    seen: ['me', ...ON_CHANNEL],
  },
  {
    title: 'the bot is kicked',
    make: ({ owner, at, bot }) => owner.delete(`${at}/members/${bot.id}`),
    seen: ['me', ...ON_CHANNEL],
  },
  {
    title: 'the application is installed in another role',
    make: async (fixture) => install(fixture, { roleId: (await fixture.role('CHANNEL_MODERATOR')).id }),
    undo: (fixture) => roles(fixture, 'bot', 'CHANNEL_BOT', fixture.helper),
    seen: ['me', 'members'],
  },
  {
    title: 'a custom role is taken from the bot',
    make: (fixture) => roles(fixture, 'bot', 'CHANNEL_BOT'),
    undo: (fixture) => roles(fixture, 'bot', 'CHANNEL_BOT', fixture.helper),
    seen: ['me', 'members', 'pin', 'mute Bob'],
  },
  {
    title: 'a custom role is given to the bot',
    given: (fixture) => roles(fixture, 'bot', 'CHANNEL_BOT'),
    make: (fixture) => roles(fixture, 'bot', 'CHANNEL_BOT', fixture.helper),
    undo: (fixture) => roles(fixture, 'bot', 'CHANNEL_BOT'),
    seen: ['me', 'members', 'pin', 'mute Bob'],
  },
  {
    title: 'the bot is given a nickname',
    make: ({ owner, at, bot }) => owner.put(`${at}/members/${bot.id}/nickname`, { nickname: 'Nick' }),
    undo: ({ owner, at, bot }) => owner.put(`${at}/members/${bot.id}/nickname`, { nickname: null }),
    seen: ['members'],
  },
  {
    title: 'the bot is muted in chat until lifted',
    make: (fixture) => mute(fixture, 'chat'),
    undo: (fixture) => unmute(fixture, 'chat'),
    seen: ['send', 'send in private', 'edit', 'react'],
  },
  {
    title: 'the bot is muted in chat for a time',
    make: (fixture) => mute(fixture, 'chat', { durationSec: 3600 }),
    undo: (fixture) => unmute(fixture, 'chat'),
    seen: ['send', 'send in private', 'edit', 'react'],
  },
  {
    title: 'the bot is muted in voice until lifted',
    make: (fixture) => mute(fixture, 'voice'),
    undo: (fixture) => unmute(fixture, 'voice'),
    seen: ['voice'],
  },
  {
    title: 'the bot is muted in voice for a time',
    make: (fixture) => mute(fixture, 'voice', { durationSec: 3600 }),
    undo: (fixture) => unmute(fixture, 'voice'),
    seen: ['voice'],
  },
]
