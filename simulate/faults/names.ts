import type { Mode } from '../history/history.ts'

interface Described {
  readonly about: string
  /** By default both. */
  readonly only?: Mode
}

const cluster = (about: string): Described => ({ about, only: 'cluster' })

/** All faults that `--faults` knows. The words before the first hyphen select groups of them. */
export const FAULTS: Readonly<Record<string, Described>> = {
  'kill-portico': { about: 'SIGKILL of the program; in a cluster, of a random node' },
  'freeze-portico': { about: 'SIGSTOP of the program, or of a random node, for 1–30 s' },
  'kill-postgres': { about: 'SIGKILL of PostgreSQL and all its processes' },
  'freeze-postgres': { about: 'SIGSTOP of PostgreSQL and all its processes, for 1–30 s' },
  'kill-redis': cluster('SIGKILL of Redis, which starts empty again'),
  'freeze-redis': cluster('SIGSTOP of Redis, for 1–30 s'),
  'kill-storage': cluster('SIGKILL of the S3 server'),
  'freeze-storage': cluster('SIGSTOP of the S3 server, for 1–30 s'),
  'kill-proxy': cluster('SIGKILL of nginx'),
  'freeze-proxy': cluster('SIGSTOP of nginx, for 1–30 s'),
  'kill-media': cluster('SIGKILL of the LiveKit server'),
  'cut-clients': { about: 'connections of clients break' },
  'hold-clients': { about: 'connections of clients stay open, and nothing arrives' },
  'delay-clients': { about: 'what clients send and get arrives 50–500 ms later' },
  'refuse-clients': { about: 'new connections of clients are refused' },
  'cut-postgres': cluster('connections between nodes and PostgreSQL break'),
  'hold-postgres': cluster('connections between nodes and PostgreSQL stay open, and nothing arrives'),
  'delay-postgres': cluster('what nodes and PostgreSQL exchange arrives 50–500 ms later'),
  'refuse-postgres': cluster('new connections of nodes to PostgreSQL are refused'),
  'cut-redis': cluster('connections between nodes and Redis break'),
  'hold-redis': cluster('connections between nodes and Redis stay open, and nothing arrives'),
  'delay-redis': cluster('what nodes and Redis exchange arrives 50–500 ms later'),
  'refuse-redis': cluster('new connections of nodes to Redis are refused'),
  'lock-rows': { about: 'another client of the database holds locks on busy tables, for 1–8 s' },
  'heavy-statements': { about: 'other clients of the database run statements that take all processor time, for 1–8 s' },
  'fill-disk': { about: 'the disk of the database is full, for 1–15 s (as root on Linux)' },
  'fill-storage': cluster('the disk of the files is full, for 1–15 s (as root on Linux)'),
  'jump-clock': {
    about: 'the clock of the program, or of one or all nodes, jumps by 1 s to 5 min and back (libfaketime)',
  },
  'jump-postgres-clock': cluster('the clock of PostgreSQL jumps by 1 s to 5 min and back (libfaketime)'),
  'kill-while-migrating': { about: 'SIGKILL at random moments of the first start, several times' },
}

/** The faults that are wished for: `all`, `none`, or names and groups, separated by commas. */
export function chooseFaults(mode: Mode, wish: string): ReadonlySet<string> {
  const possible = Object.entries(FAULTS).flatMap(([name, { only = mode }]) => (only === mode ? [name] : []))
  if (wish === 'all') return new Set(possible)
  if (wish === 'none') return new Set()
  const chosen = wish.split(',').map((name) => name.trim())
  return new Set(
    chosen.flatMap((name) => {
      const matching = possible.filter((one) => one === name || one.split('-')[0] === name)
      if (matching.length > 0) return matching
      const isOfOther = Object.hasOwn(FAULTS, name)
      throw new UnknownFault(
        isOfOther
          ? `The fault “${name}” needs --mode ${FAULTS[name]?.only ?? ''}.`
          : `There is no fault “${name}”. There are, with --mode ${mode}: ${possible.join(', ')}.`,
      )
    }),
  )
}

export class UnknownFault extends Error {}
