import { Type, type Static } from 'typebox'
import { Author } from './accounts.ts'
import { eventKind } from './event.ts'
import { BotId, ChannelId, VoiceRoomId } from './ids.ts'
import { nothing, ok, operation } from './operation.ts'
import { Id, named } from './schema.ts'

export type VoiceSession = Static<typeof VoiceSession>
export const VoiceSession = named(
  'VoiceSession',
  Type.Object({
    roomId: VoiceRoomId,
    token: Type.String({
      description:
        'The media connection token, in LiveKit’s format: one room, one identity. It serves to connect and lives 2 minutes; a client that is connected gets fresh ones from the media server',
      examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMWEwNWJmYiJ9.3Q2zN0x8'],
    }),
    url: Type.String({ description: 'The media server’s address', examples: ['wss://media.chat.example'] }),
    canPublish: Type.Boolean({
      description: 'False: the role lacks the right `talk_voice_room`, or the member is muted',
      examples: [true],
    }),
    identity: { ...BotId, description: 'Who connects: the bot, or in the portal the person' },
  }),
)

/** Of a stream room people watch what those with the right `start_broadcast` show; bots have no part in it. */
const voiceRoom = { room: ['voice'], roomOfPeople: ['stream'] } as const

export const joinVoice = operation({
  at: 'POST /rooms/:roomId/voice',
  summary: 'Join a voice room; already there, a fresh session is given',
  description: 'A member is in at most one voice room of a channel: joining a second one moves them.',
  by: 'member',
  scope: 'voice',
  access: { ...voiceRoom, right: 'join_voice_room' },
  refusals: ['roomFull'],
  input: Type.Object({
    channelId: { ...ChannelId, description: 'The channel that owns the room' },
    roomId: { ...VoiceRoomId, description: 'A voice room' },
  }),
  output: ok(VoiceSession),
})

export const leaveVoice = operation({
  at: 'DELETE /rooms/:roomId/voice',
  summary: 'Leave a voice room; outside, it changes nothing',
  by: 'member',
  scope: 'voice',
  access: voiceRoom,
  input: Type.Object({ roomId: { ...VoiceRoomId, description: 'A voice room' } }),
  output: nothing,
})

export const voiceMemberJoined = eventKind({
  event: 'voice.member_joined',
  summary: 'Someone entered a voice room',
  audience: 'bots',
  fromPrivateRooms: 'never',
  data: Type.Object({
    roomId: Id,
    user: { ...Author, description: 'With the channel nickname as name, where there is one' },
  }),
  shown: Type.Object({
    moved: Type.Boolean({ description: 'Somebody else brought them here: their page follows' }),
  }),
})

export const voiceMemberLeft = eventKind({
  event: 'voice.member_left',
  summary: 'Someone left a voice room',
  audience: 'bots',
  fromPrivateRooms: 'never',
  data: Type.Object({
    roomId: Type.Null({ description: 'Always null: remember the room from `voice.member_joined`' }),
    user: Type.Object({ id: Id }),
  }),
})
