import { m } from '#paraglide/messages.js'
import type { Quality } from './room-media.ts'

/** How well someone is connected, in words. Empty while it isn't known. */
export function qualityText(quality: Quality): string {
  return {
    excellent: m.voice_is_excellent,
    good: m.voice_is_good,
    poor: m.voice_is_weak,
    lost: m.voice_is_lost,
    unknown: () => '',
  }[quality]()
}
