import type { Right, RoomType } from '@portico/contract'

/** The right to publish in each type of room: in a stream room, everyone listens to those who may broadcast. */
export const PUBLISHING: Readonly<Record<RoomType, Right>> = {
  text: 'talk_voice_room',
  voice: 'talk_voice_room',
  stream: 'start_broadcast',
}
