/** Folders that may import each other, but never in a circle. */
export interface Layer {
  readonly name: string
  /** Of the sources. An empty name stands for the files that lie in that folder itself. */
  readonly folders: readonly string[]
  /** It imports no other package of this repository, whatever its own package may import. */
  readonly isPure?: true
  /** Folders of other packages whose files it may import by their paths, such as test fixtures. */
  readonly borrows?: readonly string[]
}

export interface Package {
  readonly name: string
  /** Where its sources are: `src`, or the folder of the package itself. */
  readonly sources?: 'src' | ''
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
          'congestion',
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
      { name: 'features', folders: ['bot', 'client', 'commands', 'events', 'text', 'voice', 'webhook'] },
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
          'notices',
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
  {
    name: 'simulate',
    sources: '',
    uses: ['contract'],
    layers: [
      { name: 'record', folders: ['history', 'random'] },
      { name: 'actors', folders: ['actors'], borrows: ['media/src', 'media/test', 'sdk/src', 'server/test'] },
      { name: 'world', folders: ['world'], borrows: ['server/src/db/embedded', 'server/test'] },
      // What must be true is written down independently of the server’s code.
      { name: 'judgment', folders: ['model', 'checks'] },
      { name: 'plan', folders: ['faults', 'founding'] },
      { name: 'runs', folders: ['community', 'browser', 'planted'], borrows: ['bench/events', 'e2e', 'server/test'] },
      { name: 'command line', folders: [''] },
    ],
  },
]
