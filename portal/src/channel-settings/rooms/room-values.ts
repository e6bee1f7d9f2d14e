import type { Room, RoomType } from '@portico/contract'
import { LIMITS } from '@portico/contract/limits'
import { m } from '#paraglide/messages.js'

/** A room as form values. */
export type RoomValues = {
  name: string
  topic: string
  categoryId: string
  private: boolean
  writeRestricted: boolean
  userLimit: string
}

export const NO_CATEGORY = ''

export const NEW_ROOM: RoomValues = {
  name: '',
  topic: '',
  categoryId: NO_CATEGORY,
  private: false,
  writeRestricted: false,
  userLimit: '',
}

export function valuesOf(room: Room): RoomValues {
  return {
    name: room.name,
    topic: room.topic ?? '',
    categoryId: room.categoryId ?? NO_CATEGORY,
    private: room.private ?? false,
    writeRestricted: room.writeRestricted,
    userLimit: room.userLimit?.toString() ?? '',
  }
}

/** The input for the server: only the fields of the form. */
export function asInput({ name, topic, categoryId, userLimit, ...switches }: Partial<RoomValues>) {
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(topic !== undefined && { topic: topic.trim() || null }),
    ...(categoryId !== undefined && { categoryId: categoryId || null }),
    ...(userLimit !== undefined && { userLimit: userLimit.trim() === '' ? null : Number(userLimit) }),
    ...switches,
  }
}

/** Checks that need no request. */
export function wrongRoom({ name, topic, userLimit }: RoomValues, type: RoomType) {
  const { max } = LIMITS.roomName
  const most = LIMITS.voiceRoomUsers
  const limit = Number(userLimit)
  const limited = type === 'voice' && userLimit.trim() !== ''
  return {
    name:
      name.trim() === ''
        ? m.channel_settings_room_name_missing
        : Array.from(name.trim()).length > max
          ? () => m.channel_settings_name_long({ max })
          : undefined,
    topic:
      Array.from(topic.trim()).length > LIMITS.roomTopic
        ? () => m.channel_settings_name_long({ max: LIMITS.roomTopic })
        : undefined,
    userLimit:
      limited && !(Number.isInteger(limit) && limit >= 1 && limit <= most)
        ? () => m.channel_settings_room_limit_wrong({ max: most })
        : undefined,
  }
}
