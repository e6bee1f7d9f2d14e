import type { EventName } from './event.ts'
import { EVENT_NAMES } from './event-names.ts'

/** Throws if there is no such event, with the one that was probably meant. */
export function checkEventName(name: string, others: readonly string[]): EventName {
  const found = EVENT_NAMES.find((known) => known === name)
  if (found) return found
  const known = [...EVENT_NAMES, ...others]
  const meant = known.find((one) => bare(one).startsWith(bare(name)) || bare(name).startsWith(bare(one)))
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new TypeError(`There is no event ${name}.${hint} The events are ${known.join(', ')}.`)
}

/** As other libraries write it: `messageCreate` is `message.created`. */
function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}
