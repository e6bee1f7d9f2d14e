import type { Right, RoomType } from '@portico/contract'

/** What it takes to be heard in a room: in a stream room all listen to those who may broadcast. */
export const PUBLISHING: Readonly<Record<RoomType, Right>> = {
  text: 'talk_voice_room',
  voice: 'talk_voice_room',
  stream: 'start_broadcast',
}
