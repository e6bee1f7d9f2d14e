import type { OwnChannel } from '@portico/contract'
import { LIMITS } from '@portico/contract/limits'
import { m } from '#paraglide/messages.js'

export type AboutValues = { name: string; description: string; open: boolean; showModerators: boolean }

export function aboutOf({ name, description, open, showModerators }: OwnChannel): AboutValues {
  return { name, description: description ?? '', open, showModerators }
}

/** Checks that need no request. */
export function wrongAbout({ name, description }: AboutValues): Partial<Record<keyof AboutValues, string>> {
  const { min, max } = LIMITS.channelName
  const length = Array.from(name.trim()).length
  return {
    ...(length === 0 && { name: m.channel_name_missing() }),
    ...(length > 0 && (length < min || length > max) && { name: m.channel_name_length({ min, max }) }),
    ...(Array.from(description.trim()).length > LIMITS.channelDescription && {
      description: m.channel_description_long({ max: LIMITS.channelDescription }),
    }),
  }
}
