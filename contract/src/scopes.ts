/** The scopes of an application key, with the text that the developer console shows next to each check box. */
export const SCOPES = {
  'channel:read': 'Channel information, its rooms and its members',
  'messages:read': 'The history of text rooms',
  'messages:write': 'Send, edit and delete its own messages; add and remove its own reactions',
  voice: 'Join and leave voice rooms',
  events: 'The stream of all messages, reactions and voice activity of every channel where it is installed',
  moderation: 'Pin messages; delete messages of others; mute, move and kick members',
  commands: 'Declare the list of chat commands',
} as const

export type Scope = keyof typeof SCOPES

/** The scopes that get a warning: they read or change the most. */
export const DANGEROUS_SCOPES: readonly Scope[] = ['events', 'moderation']

/** What a website can learn about a person who signs in to it. */
export const USER_SCOPES = {
  openid: 'A signed proof of who signed in',
  'service.identify': 'Id, name and avatar; no e-mail',
  'service.channels.read': 'The list of channels, with the role in each',
} as const

export type UserScope = keyof typeof USER_SCOPES
