import { Type, type Static } from 'typebox'
import { Author } from './accounts.ts'
import { eventKind } from './event.ts'
import { BotId, ChannelId, RoomId, VoiceRoomId } from './ids.ts'
import { created, nothing, ok, operation } from './operation.ts'
import { Id, named, Nullable, Timestamp } from './schema.ts'

export type VoiceSession = Static<typeof VoiceSession>
export const VoiceSession = named(
  'VoiceSession',
  Type.Object({
    roomId: VoiceRoomId,
    token: Type.String({
      description:
        'The LiveKit token for this room and identity. It is valid for connecting for 2 minutes; a connected client gets fresh tokens from the media server',
      examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMWEwNWJmYiJ9.3Q2zN0x8'],
    }),
    url: Type.String({
      description: 'The media server’s address; in the portal, relative to the page if the portal is the media server',
      examples: ['wss://media.chat.example'],
    }),
    canPublish: Type.Boolean({
      description: 'False if the role lacks the right `talk_voice_room` or the member is muted',
      examples: [true],
    }),
    identity: { ...BotId, description: 'Who connects: the bot, or the person in the portal' },
  }),
)

/** In a stream room people watch what members with the right `start_broadcast` show; bots can't take part. */
const voiceRoom = { room: ['voice'], roomOfPeople: ['stream'] } as const

export const joinVoice = operation({
  at: 'POST /rooms/:roomId/voice',
  summary: 'Join a voice room, or get a new session if already in it',
  description: 'A member is in at most one voice room of a channel; joining another one moves them.',
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
  summary: 'Leave a voice room (no effect if not in it)',
  by: 'member',
  scope: 'voice',
  access: voiceRoom,
  input: Type.Object({ roomId: { ...VoiceRoomId, description: 'A voice room' } }),
  output: nothing,
})

export type StreamKey = Static<typeof StreamKey>
export const StreamKey = named(
  'StreamKey',
  Type.Object({
    url: Nullable(
      Type.String({
        description:
          'The address that programs broadcast to with WHIP; null if this portal doesn’t accept broadcasts from programs, because media is turned off or carried by an external LiveKit server',
        examples: ['https://chat.example/whip/v1'],
      }),
    ),
    key: Nullable(
      Type.Object({
        hint: Type.String({ description: 'The first characters of the key, to recognize it' }),
        issuedAt: Timestamp,
        lastUsedAt: Nullable(Timestamp),
      }),
    ),
  }),
)

const ofStreamRoom = { roomId: { ...RoomId, description: 'A stream room' } }

export const getStreamKey = operation({
  at: 'GET /rooms/:roomId/stream-key',
  summary: 'Get what is known of your stream key for a room',
  description: 'With a stream key, OBS and other WHIP programs broadcast into one stream room as one person.',
  by: 'person',
  access: { room: ['stream'] },
  input: Type.Object(ofStreamRoom),
  output: ok(StreamKey),
})

export const issueStreamKey = operation({
  at: 'PUT /rooms/:roomId/stream-key',
  summary: 'Issue or re-issue your stream key for a room; a broadcast with the old key ends immediately',
  by: 'person',
  access: { room: ['stream'], right: 'start_broadcast' },
  input: Type.Object(ofStreamRoom),
  output: created(
    named(
      'IssuedStreamKey',
      Type.Object({ key: Type.String({ description: 'Shown only once' }), issuedAt: Timestamp }),
    ),
  ),
})

export const revokeStreamKey = operation({
  at: 'DELETE /rooms/:roomId/stream-key',
  summary: 'Revoke your stream key for a room; a broadcast with it ends immediately',
  by: 'person',
  access: { room: ['stream'] },
  input: Type.Object(ofStreamRoom),
  output: nothing,
})

export const voiceMemberJoined = eventKind({
  event: 'voice.member_joined',
  summary: 'Someone joined a voice room',
  audience: 'bots',
  botsIn: 'voice',
  fromPrivateRooms: 'never',
  data: Type.Object({
    roomId: Id,
    user: { ...Author, description: 'With the channel nickname as `name`, if there is one' },
  }),
  shown: Type.Object({
    moved: Type.Boolean({ description: 'Someone else moved them here: their portal follows' }),
  }),
})

export const voiceMemberLeft = eventKind({
  event: 'voice.member_left',
  summary: 'Someone left a voice room',
  audience: 'bots',
  botsIn: 'voice',
  fromPrivateRooms: 'never',
  data: Type.Object({
    roomId: Type.Unsafe<null>({
      // Not only null: programs that generate clients have no type for it.
      type: ['string', 'null'],
      format: 'uuid',
      description: 'Always null: remember the room from `voice.member_joined`',
    }),
    user: Type.Object({ id: Id }),
  }),
})

export const streamLiveChanged = eventKind({
  event: 'stream.live_changed',
  summary: 'Someone began or stopped broadcasting in a stream room',
  audience: 'portal',
  data: Type.Object({ roomId: Id, user: Type.Object({ id: Id }), live: Type.Boolean() }),
})
