export const MUTE_DURATIONS = ['off', 'hour', 'eightHours', 'tomorrow', 'always'] as const
export type MuteDuration = (typeof MUTE_DURATIONS)[number]

/** The hour at which "until tomorrow" ends. */
const MORNING = 8

/** How long a mute lasts from a moment on, in seconds. Undefined: until it is undone. */
export function secondsOf(duration: Exclude<MuteDuration, 'off'>, now: Date): number | undefined {
  const untilTomorrow = Math.ceil((tomorrowMorning(now).getTime() - now.getTime()) / 1000)
  return { hour: 3600, eightHours: 8 * 3600, tomorrow: untilTomorrow, always: undefined }[duration]
}

/** By the clock of this device. */
function tomorrowMorning(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, MORNING)
}
