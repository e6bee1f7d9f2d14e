/** Folders that may import each other, but never in a circle. */
export interface Layer {
  readonly name: string
  /** Of `src`. An empty name stands for the files that lie in `src` itself. */
  readonly folders: readonly string[]
  /** It imports no other package of this repository, whatever its own package may import. */
  readonly isPure?: true
}

export interface Package {
  readonly name: string
  /** Lowest first. A file imports only from its own layer and from those before it. */
  readonly layers: readonly Layer[]
  /** The packages of this repository that it may import. */
  readonly uses: readonly string[]
}

/** A folder that is missing here is reported, so that every new one gets its place before anything imports it. */
export const PACKAGES: readonly Package[] = [
  { name: 'contract', uses: [], layers: [{ name: 'contract', folders: [''] }] },
  {
    name: 'media',
    uses: [],
    layers: [
      {
        name: 'protocols',
        folders: [
          'dtls',
          'forward',
          'ice',
          'packet',
          'probe',
          'room',
          'rtp',
          'sdp',
          'session',
          'sfu',
          'signal',
          'srtp',
          'transport',
          'whip',
          'worker',
        ],
      },
      { name: 'interface', folders: [''] },
    ],
  },
  {
    name: 'sdk',
    uses: [],
    layers: [
      { name: 'features', folders: ['bot', 'client', 'commands', 'events', 'voice', 'webhook'] },
      { name: 'interface', folders: [''] },
    ],
  },
  {
    name: 'server',
    // The bots of the demo are written with the SDK.
    uses: ['contract', 'media', 'sdk'],
    layers: [
      {
        name: 'infrastructure',
        folders: ['config', 'telemetry', 'db', 'files', 'backup', 'outbound', 'secrets', 'redis', 'events'],
      },
      { name: 'operations', folders: ['operations'] },
      {
        name: 'features',
        folders: [
          'accounts',
          'administration',
          'applications',
          'audit',
          'channels',
          'commands',
          'consents',
          'defects',
          'first-steps',
          'invitations',
          'members',
          'messages',
          'moderation',
          'notifications',
          'personal-data',
          'pictures',
          'presence',
          'profile',
          'quotas',
          'roles',
          'room-page',
          'rooms',
          'sign-up',
          'unread',
          'uploads',
          'voice',
        ],
      },
      { name: 'transports', folders: ['http', 'websocket', 'webhooks', 'push', 'sign-in', 'media', 'command-line'] },
      { name: 'assembly', folders: [''] },
    ],
  },
  {
    name: 'portal',
    uses: ['contract'],
    layers: [
      { name: 'ui', folders: ['ui'], isPure: true },
      { name: 'base', folders: ['paraglide', 'storage', 'live', 'texts', 'api', 'appearance'] },
      {
        name: 'features',
        folders: [
          'accounts',
          'administration',
          'applications',
          'audit',
          'channel-settings',
          'channels',
          'commands',
          'completion',
          'defects',
          'drafts',
          'emoji',
          'files',
          'first-steps',
          'invitations',
          'markdown',
          'members',
          'messages',
          'moderation',
          'notifications',
          'offline',
          'pages',
          'pictures',
          'presence',
          'roles',
          'rooms',
          'search',
          'settings',
          'shortcuts',
          'sign-in',
          'unread',
          'voice',
        ],
      },
      { name: 'shell', folders: ['shell'] },
      { name: 'routes', folders: ['routes', ''] },
    ],
  },
]
