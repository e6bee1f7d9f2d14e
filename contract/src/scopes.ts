/** What an application key may open. The words are those that the cabinet shows beside each check box. */
export const SCOPES = {
  'channel:read': 'Channel information, its rooms and its members',
  'messages:read': 'The history of text rooms',
  'messages:write': 'Send, edit and delete its own messages; add and remove its own reactions',
  voice: 'Join and leave voice rooms',
  events: 'The stream of all messages, reactions and voice activity of every channel where it is installed',
  moderation: 'Pin messages; mute, move and kick members',
  commands: 'Declare the list of chat commands',
} as const

export type Scope = keyof typeof SCOPES

/** The scopes that deserve a warning: the widest reading and the most dangerous writing. */
export const DANGEROUS_SCOPES: readonly Scope[] = ['events', 'moderation']

/** What a website may learn of a person who signs in to it. */
export const USER_SCOPES = {
  openid: 'A signed proof of who signed in',
  'service.identify': 'Id, name and avatar; no e-mail',
  'service.channels.read': 'The list of channels, with the role on each',
} as const

export type UserScope = keyof typeof USER_SCOPES
