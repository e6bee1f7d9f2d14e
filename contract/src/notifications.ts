import { Type, type Static } from 'typebox'
import { eventKind } from './event.ts'
import { ChannelId, RoomId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { noInput, ok, operation } from './operation.ts'
import { ROOM_TYPES } from './rooms.ts'
import { Integer, named, Nullable, OneOf, Timestamp } from './schema.ts'

/** Which messages notify: every one, those that mention or answer the person, or none. */
export const NOTIFICATION_LEVELS = ['all', 'mentions', 'nothing'] as const
export type NotificationLevel = (typeof NOTIFICATION_LEVELS)[number]

/** The level of a channel for which a person has chosen none. */
export const DEFAULT_LEVEL = 'mentions' satisfies NotificationLevel

export const Level = OneOf(NOTIFICATION_LEVELS, {
  description: '`all`: every message. `mentions`: mentions and replies. `nothing`: none',
})

/** What a person has chosen for a room or a channel. */
export type PlaceNotifications = Static<typeof PlaceNotifications>
export const PlaceNotifications = named(
  'PlaceNotifications',
  Type.Object({
    level: Nullable({ ...Level, description: 'Null: `inheritedLevel` applies' }),
    inheritedLevel: { ...Level, description: 'Of a room: the level of its channel. Of a channel: the default' },
    muted: Type.Boolean({ description: 'Muted itself; a muted channel mutes its rooms as well' }),
    mutedUntil: Nullable({ ...Timestamp, description: 'When the mute ends. Null if it has no end, or if not muted' }),
  }),
)

const choice = {
  level: Type.Optional(Nullable({ ...Level, description: 'Null: the level of the channel, or the default' })),
  muted: Type.Optional(Type.Boolean({ rule: 'must be true or false' })),
  durationSec: Type.Optional(
    Integer(1, LIMITS.muteSeconds, { description: 'With `muted`: how long, at most 28 days. Absent for no end' }),
  ),
}

const withMessages = { room: ROOM_TYPES, right: 'read_text_room' } as const

export const getRoomNotifications = operation({
  at: 'GET /rooms/:roomId/notifications',
  summary: 'Get your notification level for a room, and whether you muted it',
  by: 'person',
  access: withMessages,
  input: Type.Object({ roomId: RoomId }),
  output: ok(PlaceNotifications),
})

export const updateRoomNotifications = operation({
  at: 'PATCH /rooms/:roomId/notifications',
  summary: 'Choose what a room notifies you about; mute or unmute it',
  by: 'person',
  access: withMessages,
  input: Type.Object({ roomId: RoomId, ...choice }),
  output: ok(PlaceNotifications),
})

export const getChannelNotifications = operation({
  at: 'GET /channels/:channelId/notifications',
  summary: 'Get your notification level for a channel, and whether you muted it',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(PlaceNotifications),
})

export const updateChannelNotifications = operation({
  at: 'PATCH /channels/:channelId/notifications',
  summary: 'Choose what a channel notifies you about; mute or unmute it',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId, ...choice }),
  output: ok(PlaceNotifications),
})

const TimeOfDay = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  rule: 'must be a time of day, such as 22:00',
  examples: ['22:00'],
})

const hours = Type.Object(
  {
    from: TimeOfDay,
    until: { ...TimeOfDay, description: 'Before `from`: on the next day. The same: all day', examples: ['08:00'] },
    timeZone: Type.String({
      minLength: 1,
      maxLength: 64,
      rule: 'must be a time zone, such as Europe/Berlin',
      examples: ['Europe/Berlin'],
    }),
  },
  { rule: 'must have from, until and timeZone' },
)

/** The hours of every day in which a person wants no notification. */
export type QuietHours = Static<typeof QuietHours>
export const QuietHours = named('QuietHours', hours)

export type NotificationSettings = Static<typeof NotificationSettings>
export const NotificationSettings = named(
  'NotificationSettings',
  Type.Object({
    sound: Type.Boolean({ description: 'Whether notifications make a sound' }),
    doNotDisturb: Nullable({ ...QuietHours, description: 'No notifications in these hours. Null: at no time' }),
  }),
)

export const getNotificationSettings = operation({
  at: 'GET /notification-settings',
  summary: 'Get your notification settings, which apply to all your devices',
  by: 'person',
  input: noInput,
  output: ok(NotificationSettings),
})

export const updateNotificationSettings = operation({
  at: 'PATCH /notification-settings',
  summary: 'Change your notification settings',
  by: 'person',
  input: Type.Object({
    sound: Type.Optional(Type.Boolean({ rule: 'must be true or false' })),
    doNotDisturb: Type.Optional(Nullable(hours)),
  }),
  output: ok(NotificationSettings),
})

export const notificationSettingsChanged = eventKind({
  event: 'notification-settings.changed',
  summary: 'You changed your notification settings, on this or another device',
  audience: 'portal',
  ephemeral: true,
  placeless: true,
  data: Type.Object({ settings: NotificationSettings }),
})
