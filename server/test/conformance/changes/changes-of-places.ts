import { expectOk } from '../../expect-ok.ts'
import { IN_PORTAL, ON_CHANNEL, override, rights, roles, room, type Change } from './change.ts'

export const changesOfPlaces: readonly Change[] = [
  {
    title: 'a system role loses rights',
    make: async (fixture) => rights(fixture, await fixture.role('CHANNEL_BOT'), { rights: ['read_text_room'] }),
    seen: ['send', 'send in private', 'edit', 'react', 'voice'],
  },
  {
    title: 'a custom role loses its rights',
    make: (fixture) => rights(fixture, fixture.helper, { rights: [] }),
    undo: (fixture) => rights(fixture, fixture.helper, { rights: fixture.helper.rights }),
    seen: ['pin', 'mute Bob'],
  },
  {
    title: 'a custom role is renamed',
    make: (fixture) => rights(fixture, fixture.helper, { name: 'Aide' }),
    undo: (fixture) => rights(fixture, fixture.helper, { name: 'Helper' }),
    seen: ['me', 'members'],
  },
  {
    title: 'a custom role is deleted',
    make: ({ owner, at, helper }) => owner.delete(`${at}/roles/${helper.id}`),
    seen: ['me', 'members', 'pin', 'mute Bob'],
  },
  {
    title: 'the roles rank differently',
    make: ({ rank, helper, guest }) => rank(guest, helper),
    undo: ({ rank, helper, guest }) => rank(helper, guest),
    seen: ['mute Bob'],
  },
  {
    title: 'another member is raised above the bot',
    make: (fixture) => roles(fixture, 'bob', 'CHANNEL_MODERATOR'),
    undo: (fixture) => roles(fixture, 'bob', 'CHANNEL_MEMBER', fixture.guest),
    seen: ['members', 'mute Bob'],
  },

  {
    title: 'a room denies a right to the role of the bot',
    make: (fixture) => override(fixture, 'text', [], ['write_text_room', 'react_text_msg']),
    undo: (fixture) => override(fixture, 'text', [], []),
    seen: ['send', 'react'],
  },
  {
    title: 'a room allows a right that the role lacks',
    given: async (fixture) => rights(fixture, await fixture.role('CHANNEL_BOT'), { rights: ['read_text_room'] }),
    make: (fixture) => override(fixture, 'text', ['write_text_room'], []),
    undo: (fixture) => override(fixture, 'text', [], []),
    seen: ['send'],
  },
  {
    title: 'writing in a room is restricted',
    make: (fixture) => room(fixture, 'text', { writeRestricted: true }),
    undo: (fixture) => room(fixture, 'text', { writeRestricted: false }),
    seen: ['rooms', 'person: rooms', 'person: send'],
  },
  {
    title: 'a room becomes private',
    make: (fixture) => room(fixture, 'text', { private: true }),
    undo: (fixture) => room(fixture, 'text', { private: false }),
    seen: ['rooms', 'send', 'history', 'edit', 'react', 'pin', 'person: rooms', 'person: send', 'person: history'],
  },
  {
    title: 'a private room is opened',
    given: ({ admit }) => admit([], []),
    make: (fixture) => room(fixture, 'hidden', { private: false }),
    undo: (fixture) => room(fixture, 'hidden', { private: true }),
    seen: ['rooms', 'send in private', 'history of the private room', 'person: rooms', 'person: send in private'],
  },
  {
    title: 'a private room no longer admits anyone',
    make: ({ admit }) => admit([], []),
    undo: ({ admit, bot, ada }) => admit([], [bot.id, ada.id]),
    seen: ['send in private', 'history of the private room', 'person: rooms', 'person: send in private'],
  },
  {
    title: 'a private room admits a role',
    given: ({ admit }) => admit([], []),
    make: ({ admit, helper }) => admit([helper.id], []),
    undo: ({ admit }) => admit([], []),
    seen: ['send in private', 'history of the private room'],
  },
  {
    title: 'a role that a private room admits is taken from the bot',
    given: ({ admit, helper }) => admit([helper.id], []),
    make: (fixture) => roles(fixture, 'bot', 'CHANNEL_BOT'),
    undo: (fixture) => roles(fixture, 'bot', 'CHANNEL_BOT', fixture.helper),
    seen: ['me', 'members', 'send in private', 'history of the private room', 'pin', 'mute Bob'],
  },
  {
    title: 'a room is renamed',
    make: (fixture) => room(fixture, 'text', { name: 'foundry' }),
    undo: (fixture) => room(fixture, 'text', { name: 'workshop' }),
    seen: ['rooms', 'person: rooms'],
  },
  {
    title: 'a voice room has no place left',
    make: async (fixture) => {
      const voice = `/rooms/${fixture.rooms.voice.id}/voice`
      expectOk(await fixture.bot.delete(voice))
      expectOk(await fixture.ada.delete(voice))
      expectOk(await fixture.owner.post(voice, { channelId: fixture.channel.id }))
      return room(fixture, 'voice', { userLimit: 1 })
    },
    seen: ['rooms', 'voice', 'person: rooms', 'person: voice'],
  },
  {
    title: 'a room is deleted',
    make: ({ owner, at, rooms }) => owner.delete(`${at}/rooms/${rooms.text.id}`),
    seen: ['rooms', 'send', 'history', 'edit', 'react', 'pin', 'person: rooms', 'person: send', 'person: history'],
  },
  {
    title: 'a room is made',
    make: ({ owner, at }) => owner.post(`${at}/rooms`, { name: 'annex', type: 'text' }),
    seen: ['rooms', 'person: rooms'],
  },

  {
    title: 'the channel is renamed and described',
    make: ({ owner, at }) => owner.patch(at, { name: 'Studios', description: 'Where we work' }),
    undo: ({ owner, at, channel }) => owner.patch(at, { name: channel.name, description: null }),
    seen: ['me', 'channel', 'person: channel'],
  },
  {
    title: 'the channel is handed over',
    make: ({ owner, at, bob }) => owner.put(`${at}/owner`, { userId: bob.id }),
    seen: ['members', 'mute Bob'],
  },
  {
    title: 'the channel is deleted',
    make: ({ owner, at, channel }) => owner.delete(at, { name: channel.name }),
    seen: ['me', ...ON_CHANNEL, ...IN_PORTAL],
  },

  {
    title: 'the person is given a role',
    make: (fixture) => roles(fixture, 'ada', 'CHANNEL_ADMIN'),
    undo: (fixture) => roles(fixture, 'ada', 'CHANNEL_MEMBER'),
    seen: ['members', 'person: permissions'],
  },
  {
    title: 'the person is muted',
    make: ({ owner, at, ada }) => owner.put(`${at}/members/${ada.id}/chat-mute`, {}),
    undo: ({ owner, at, ada }) => owner.delete(`${at}/members/${ada.id}/chat-mute`),
    seen: ['person: permissions', 'person: send', 'person: send in private'],
  },
  {
    title: 'the person is kicked',
    make: ({ owner, at, ada }) => owner.delete(`${at}/members/${ada.id}`),
    seen: ['members', ...IN_PORTAL],
  },
  {
    title: 'the person leaves',
    make: ({ ada, at }) => ada.delete(`${at}/membership`),
    seen: ['members', ...IN_PORTAL],
  },
  {
    title: 'the channel is handed over to the person',
    make: ({ owner, at, ada }) => owner.put(`${at}/owner`, { userId: ada.id }),
    seen: ['members', 'person: permissions'],
  },
  {
    title: 'the person is renamed',
    make: ({ ada }) => ada.patch('/account', { name: `${ada.name} Jr` }),
    seen: ['members', 'person: send', 'person: send in private'],
  },
  {
    title: 'the person is signed out on all devices',
    make: ({ administrator, ada }) => administrator.delete(`/administration/people/${ada.id}/sessions`),
    seen: IN_PORTAL,
  },
  {
    title: 'the person is disabled',
    make: ({ administrator, ada }) => administrator.patch(`/administration/people/${ada.id}`, { disabled: true }),
    seen: IN_PORTAL,
  },
]
