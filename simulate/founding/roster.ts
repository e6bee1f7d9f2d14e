import type { Limits } from '../model/limits.ts'

/** Who is in the community, and where they meet. */
export const PEOPLE = 40
export const PASSWORD = 'correct horse battery staple'

/** The channels that their owners change all the time. */
export const CHANNELS = ['Harbor', 'Orchard', 'Printing house']
/** A small channel that stays as it is, for writers in a tight loop. */
export const TIGHT_CHANNEL = 'Lighthouse'
/** Rooms of every channel in addition to those it begins with. */
export const ROOMS = [
  { name: 'quay', type: 'text' },
  { name: 'workshop', type: 'text' },
  { name: 'captains', type: 'text', private: true },
  { name: 'cabin', type: 'text', private: true },
  { name: 'bridge', type: 'voice' },
  { name: 'lantern', type: 'stream' },
] as const

/** By position among the people. The first own the channels. */
export const TIGHT_OWNER = CHANNELS.length
export const isTightWriter = (position: number): boolean => position >= 3 && position < 6
export const isInTightChannel = (position: number): boolean => position >= 3 && position < 9
export const hasPhone = (position: number): boolean => position >= 6 && position < 11
export const wantsPush = (position: number): boolean => position >= 9 && position < 17

/**
 * How each bot gets its events, and how it treats its quota. `kept`: it sends nothing that the headers don’t allow; `exceeded`: it
 * learns of its quota from refusals, and mostly waits as long as they say; `lifted`: an administrator has raised it.
 */
export const BOTS = [
  { name: 'Anchor', by: 'centrifuge', quota: 'kept' },
  { name: 'Beacon', by: 'centrifuge', quota: 'lifted' },
  { name: 'Capstan', by: 'centrifuge', quota: 'exceeded' },
  { name: 'Davit', by: 'webhook', quota: 'lifted' },
  { name: 'Ensign', by: 'webhook', quota: 'kept' },
  { name: 'Fender', by: 'sdk stream', quota: 'lifted' },
  { name: 'Galley', by: 'sdk webhook', quota: 'lifted' },
  { name: 'Halyard', by: 'raw stream', quota: 'lifted' },
  { name: 'Icebreaker', by: 'managed stream', quota: 'lifted' },
  { name: 'Jib', by: 'managed webhook', quota: 'lifted' },
] as const
/** How often a bot that was refused by its quota waits. */
export const PATIENCE = 0.7
export type BotEntry = (typeof BOTS)[number]
/** The bot whose application is deleted and created again. */
export const REPLACED_BOT = 'Keel'
/** The bot that writes in a tight loop together with people. */
export const TIGHT_BOT = 'Beacon'
export const LIFTED: Limits = { requests: 100_000, writes: 100_000 }
/** Other limits than those of every application. A bot that exceeds its quota does so even on a machine that is slow. */
export const LIMITS: Partial<Record<BotEntry['quota'], Limits>> = {
  lifted: LIFTED,
  exceeded: { requests: 40, writes: 8 },
}

export const WEBSITES = [
  { name: 'Fleet', redirectUri: 'https://fleet.example/signed-in' },
  { name: 'Chandlery', redirectUri: 'https://chandlery.example/back' },
] as const

/** In milliseconds: between the steps of one actor. */
export const PAUSES = {
  person: { from: 400, to: 4200 },
  bot: { from: 400, to: 3500 },
  /** Of the one that is often wrong, and of those whose keys change. */
  eagerBot: { from: 300, to: 1500 },
  channelOwner: { from: 1500, to: 6000 },
  applicationOwner: { from: 5_000, to: 18_000 },
  sdkBot: { from: 8_000, to: 25_000 },
  website: { from: 700, to: 3500 },
  device: { from: 1500, to: 8000 },
  tightWriters: { from: 15_000, to: 45_000 },
} as const
export interface Pause {
  readonly from: number
  readonly to: number
}
