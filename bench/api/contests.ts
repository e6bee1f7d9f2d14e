import type { Load } from './load-program.ts'
import type { Place, Seeded } from './seed.ts'

export interface Contender {
  readonly name: string
  readonly served: 'portico' | 'baseline' | 'bare'
  readonly load: Pick<Load, 'ports' | 'requests' | 'status'>
}

/** The required ratio of responses between two contenders; without an aim it is only reported. */
export interface Comparison {
  readonly of: string
  readonly against: string
  readonly aim?: number
}

/** Contenders that are measured in turns, so that other load on the machine affects all of them. */
export interface Contest {
  readonly name: string
  readonly contenders: readonly Contender[]
  readonly comparisons: readonly Comparison[]
}

/** Size alone may cost at most a fifth. */
const SAME_AT_ANY_SIZE = 0.8

export function contests(seeded: Seeded, ports: { portico: number; bare: number }): Contest[] {
  const { small, large, thousand, million, quiet } = seeded
  const portico = (name: string, ...requests: Request[]): Contender => {
    const whole = requests.map((request) => ({ ...request, path: `/api/v1${request.path}`, key: seeded.key }))
    return { name, served: 'portico', load: loadOf(ports.portico, whole) }
  }
  const bare = (name: string, ...requests: Request[]): Contender => ({
    name,
    served: 'bare',
    load: loadOf(ports.bare, requests),
  })

  return [
    {
      name: 'GET /me',
      contenders: [
        portico('portico', { path: '/me' }),
        bare('bare route', { path: '/me' }),
        bare('bare SELECT', { path: '/key' }),
      ],
      comparisons: [
        { of: 'portico', against: 'bare route', aim: 0.6 },
        { of: 'portico', against: 'bare SELECT' },
      ],
    },
    {
      name: 'send',
      contenders: [
        portico('portico', ...large.newRooms.map(sending)),
        bare('bare route', { ...sending(thousand), path: '/send' }),
        bare('bare INSERT', ...large.newRooms.map((place) => ({ ...sending(place), path: '/insert' }))),
        portico('channel of 10', ...small.newRooms.map(sending)),
        portico('room of 1,000,000', sending(million)),
      ],
      comparisons: [
        { of: 'portico', against: 'bare route' },
        { of: 'portico', against: 'bare INSERT', aim: 0.5 },
        { of: 'portico', against: 'channel of 10', aim: SAME_AT_ANY_SIZE },
        { of: 'room of 1,000,000', against: 'portico', aim: SAME_AT_ANY_SIZE },
      ],
    },
    {
      name: 'history of 50',
      contenders: [
        portico('portico', history(large.hundredThousand)),
        bare('bare route', { path: '/history' }),
        bare('bare SELECT', { path: '/select' }),
        portico('channel of 10', history(small.hundredThousand)),
        portico('room of 1,000', history(thousand)),
        portico('room of 1,000,000', history(million)),
        portico('quiet room of 1,000', history(quiet)),
      ],
      comparisons: [
        { of: 'portico', against: 'bare route' },
        { of: 'portico', against: 'bare SELECT', aim: 0.4 },
        { of: 'portico', against: 'channel of 10', aim: SAME_AT_ANY_SIZE },
        { of: 'room of 1,000,000', against: 'room of 1,000', aim: SAME_AT_ANY_SIZE },
        { of: 'quiet room of 1,000', against: 'room of 1,000', aim: SAME_AT_ANY_SIZE },
      ],
    },
    {
      name: 'members',
      contenders: [
        portico('portico', { path: `/channels/${large.id}/members` }),
        bare('bare route', { path: '/members' }),
        portico('10 of 10', { path: `/channels/${small.id}/members?limit=10` }),
        portico('10 of 10,000', { path: `/channels/${large.id}/members?limit=10` }),
      ],
      comparisons: [
        { of: 'portico', against: 'bare route' },
        { of: '10 of 10,000', against: '10 of 10', aim: SAME_AT_ANY_SIZE },
      ],
    },
  ]
}

/**
 * Adds another version of the program to each contest, which answers what Portico answers. Compared with the same bare
 * contender, the two show what a change costs.
 */
export function withBaseline(contests: readonly Contest[], ofBaseline: readonly Contest[]): Contest[] {
  return contests.map((contest, position) => {
    const load = ofBaseline[position]?.contenders.find(({ name }) => name === 'portico')?.load
    const bare = contest.contenders.filter(({ name }) => name === 'portico' || name.startsWith('bare'))
    if (!load) return contest
    return {
      name: contest.name,
      contenders: [...bare, { name: 'baseline', served: 'baseline', load }],
      comparisons: bare
        .filter(({ served }) => served === 'bare')
        .flatMap(({ name: against }) => [
          { of: 'portico', against },
          { of: 'baseline', against },
        ]),
    }
  })
}

interface Request {
  readonly path: string
  readonly key?: string
  /** A request with a body is a POST and must return 201. */
  readonly body?: object
}

function sending({ channelId, roomId }: Place): Request {
  const text = 'Crate 4711 is unloaded and stands on the quay, **ready** to be fetched by its owner.'
  return { path: `/rooms/${roomId}/messages`, body: { channelId, roomId, text } }
}

function history({ channelId, roomId }: Place): Request {
  return { path: `/rooms/${roomId}/messages?channelId=${channelId}` }
}

function loadOf(port: number, requests: readonly Request[]): Contender['load'] {
  const status = requests.some(({ body }) => body) ? 201 : 200
  return { ports: [port], requests: requests.map(textOf), status }
}

function textOf({ path, key, body }: Request): string {
  const lines = [`${body ? 'POST' : 'GET'} ${path} HTTP/1.1`, 'host: 127.0.0.1']
  if (key !== undefined) lines.push(`authorization: Bot ${key}`)
  const content = body ? JSON.stringify(body) : ''
  if (body) lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(content)}`)
  return `${lines.join('\r\n')}\r\n\r\n${content}`
}
