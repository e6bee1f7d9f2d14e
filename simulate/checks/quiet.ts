import type { Check } from './violation.ts'

/** Events of what nobody does in the end: those who read leave and join voice rooms, and close their portals. */
const OF_ACTS =
  /^(message\.|reaction\.|member\.(joined|left)|channel\.changed|typing\.started|stream\.live_changed|notification-settings)/
/** In milliseconds: it was not quiet yet if something arrived so shortly before. */
const SILENCE = 8_000

/** When nobody acts anymore and everything has arrived, nothing comes later. */
export const checkQuiet: Check = ({ run }, findings) => {
  const arrivals = [...run.events, ...run.deliveries]
  let lastBefore = 0
  for (const { at } of arrivals) if (at <= run.quietAt) lastBefore = Math.max(lastBefore, at)
  if (run.quietAt === Infinity || run.quietAt - lastBefore < SILENCE) return
  findings.checked('delivery', 'silence')
  for (const arrival of arrivals) {
    if (arrival.at <= run.quietAt || !OF_ACTS.test(arrival.envelope.event)) continue
    findings.violated(
      'delivery',
      `${arrival.receiver} got ${arrival.envelope.event} after everything was quiet`,
      arrival,
    )
  }
}
