import type { Room, VoiceUser } from '@portico/contract'

/** Who broadcasts in a room. */
export function liveIn({ users = [] }: Room): VoiceUser[] {
  return users.filter(({ live }) => live)
}

/** How many people watch a broadcast, without those who make it. */
export function watchingIn(room: Room): number {
  return (room.users?.length ?? 0) - liveIn(room).length
}
