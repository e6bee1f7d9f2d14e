/** A way to reach a peer: a UDP address or a TCP connection that a valid check came from. */
export interface Path {
  /** Where packets have to wait, those that can wait let all others go first. */
  send(packet: Buffer, canWait?: boolean): void
  close(): void
}

export interface PathChoice {
  /** Where the peer wants packets, undefined while there is no way to it. It may not have answered there. */
  readonly nominated: Path | undefined
  /** Where media goes: the nominated path once it has answered, and until then the one before. */
  readonly selected: Path | undefined
  /** All that the peer has checked, with the ufrag of ours that it used for it. */
  readonly all: Iterable<readonly [path: Path, ufrag: string]>
  checked(path: Path, check: { readonly ufrag: string; readonly useCandidate: boolean }): void
  /** The peer has answered a check of ours. */
  answered(path: Path): void
  /** How long ago it did, in milliseconds. */
  silenceOf(path: Path): number
  /** The path checked last takes its place. */
  lost(path: Path): void
  /** Sends nothing more to where the peer has not answered for 30 seconds. */
  expire(): void
  close(): void
}

/** As many as a peer may try at the same time; the one silent for longest makes room. */
const MAX_PATHS = 16
/** Peers check the path in use at least every 5 seconds, give or take a fifth. */
const SILENT_AFTER_MS = 7000
/** How long an answer allows sending (RFC 7675). */
export const CONSENT_MS = 30_000

interface Known {
  ufrag: string
  checkedAt: number
  answeredAt: number
}

/**
 * Chooses among the paths of one peer. A peer moves by nominating another path, or by checking another one while the nominated
 * one is silent, as happens when its address changes on the way. Media follows only to where the peer answers: a check proves
 * who sent it, but not that it came from the address that it names.
 */
export function createPathChoice(): PathChoice {
  const known = new Map<Path, Known>()
  let nominated: Path | undefined
  let selected: Path | undefined
  const isSilent = (path: Path) => performance.now() - known.get(path)!.checkedAt > SILENT_AFTER_MS
  const silenceOf = (path: Path) => performance.now() - (known.get(path)?.answeredAt ?? -Infinity)
  const mayReceive = (path: Path | undefined) => path !== undefined && silenceOf(path) < CONSENT_MS

  function select() {
    if (mayReceive(nominated)) selected = nominated
    else if (!mayReceive(selected)) selected = undefined
  }

  function makeRoom() {
    if (known.size <= MAX_PATHS) return
    const others = [...known].filter(([path]) => path !== nominated && path !== selected)
    const [oldest] = others.reduce((a, b) => (b[1].checkedAt < a[1].checkedAt ? b : a))
    known.delete(oldest)
    oldest.close()
  }

  return {
    get nominated() {
      return nominated
    },
    get selected() {
      return selected
    },
    get all() {
      return [...known].map(([path, { ufrag }]) => [path, ufrag] as const)
    },
    checked(path, { ufrag, useCandidate }) {
      if (nominated === undefined || useCandidate || isSilent(nominated)) nominated = path
      known.set(path, { ufrag, checkedAt: performance.now(), answeredAt: known.get(path)?.answeredAt ?? -Infinity })
      makeRoom()
      select()
    },
    answered(path) {
      const entry = known.get(path)
      if (entry) entry.answeredAt = performance.now()
      select()
    },
    silenceOf,
    lost(path) {
      known.delete(path)
      if (path === nominated) nominated = [...known].reduce<Entry | undefined>(later, undefined)?.[0]
      select()
    },
    expire: select,
    close() {
      for (const path of known.keys()) path.close()
      known.clear()
      nominated = undefined
      selected = undefined
    },
  }
}

type Entry = readonly [path: Path, known: Known]

function later(one: Entry | undefined, other: Entry): Entry {
  return one === undefined || other[1].checkedAt >= one[1].checkedAt ? other : one
}
