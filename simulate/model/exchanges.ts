import type { Call, Delivered, Entry, Head, Received, Receiver } from '../history.ts'

/** A request with what became of it. */
export interface Exchange extends Call {
  /** When the answer arrived; `Infinity` if it never did. */
  readonly end: number
  /** Undefined if there was no answer. */
  readonly status: number | undefined
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  /** Why there was none. */
  readonly lost?: string
}

export function isDone({ status }: Exchange): boolean {
  return status !== undefined && status < 300
}

/** It certainly had no effect. */
export function isRefused({ status }: Exchange): boolean {
  return status !== undefined && status >= 300
}

/** The history, by kinds. */
export interface Run {
  readonly head: Head
  readonly entries: readonly Entry[]
  readonly exchanges: readonly Exchange[]
  readonly receivers: readonly Receiver[]
  readonly events: readonly Received[]
  readonly deliveries: readonly Delivered[]
  /** When everybody stopped acting. */
  readonly quietAt: number
}

export function indexRun(entries: readonly Entry[]): Run {
  const ends = new Map<number, Entry>()
  for (const entry of entries) if (entry.kind === 'return' || entry.kind === 'lost') ends.set(entry.call, entry)
  const exchanges = of(entries, 'call').map((call): Exchange => {
    const end = ends.get(call.call)
    if (end?.kind === 'return') {
      return { ...call, end: end.at, status: end.status, body: end.body, headers: end.headers }
    }
    const lost = end?.kind === 'lost' ? end.why : 'the run ended'
    return { ...call, end: Infinity, status: undefined, body: undefined, headers: {}, lost }
  })
  const [head] = of(entries, 'head')
  if (!head) throw new Error('the history has no head')
  return {
    head,
    entries,
    exchanges,
    receivers: of(entries, 'receiver'),
    events: of(entries, 'event'),
    deliveries: of(entries, 'delivery'),
    quietAt: of(entries, 'phase').find(({ phase }) => phase === 'quiet')?.at ?? Infinity,
  }
}

export function of<Kind extends Entry['kind']>(
  entries: readonly Entry[],
  kind: Kind,
): Extract<Entry, { kind: Kind }>[] {
  return entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind)
}
