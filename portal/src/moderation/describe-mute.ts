import type { RoomPermissions } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import { untilTime } from '#texts/times.ts'

type Mute = NonNullable<RoomPermissions['chatMute']>

/** What a muted person reads: until when, by whom and why, as far as that is known. */
export function describeMute(where: 'chat' | 'voice', { until, by, reason }: Mute): string {
  const forever = where === 'chat' ? m.closed_muted : m.closed_muted_in_voice
  const timed = where === 'chat' ? m.closed_muted_until : m.closed_muted_in_voice_until
  return [
    until === null ? forever() : timed({ time: untilTime(until) }),
    ...(by ? [m.closed_muted_by({ name: by.name })] : []),
    ...(reason ? [m.closed_muted_reason({ reason })] : []),
  ].join(' ')
}
