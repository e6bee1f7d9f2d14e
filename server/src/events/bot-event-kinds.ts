import { api, isEventKind, type EventKind } from '@portico/contract'

const values: readonly unknown[] = Object.values(api)

/** The events that bots receive: those of the public contract. */
export const BOT_EVENT_KINDS = values.filter(
  (value): value is EventKind => isEventKind(value) && value.audience === 'bots',
)
