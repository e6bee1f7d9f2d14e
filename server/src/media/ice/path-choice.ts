/** A way to reach a peer: a UDP address or a TCP connection that a valid check came from. */
export interface Path {
  send(packet: Buffer): void
  close(): void
}

export interface PathChoice {
  /** Where packets go, undefined while there is no way to the peer. */
  readonly selected: Path | undefined
  checked(path: Path, useCandidate: boolean): void
  /** The path checked last takes its place. */
  lost(path: Path): void
  close(): void
}

/** As many as a peer may try at the same time; the one silent for longest makes room. */
const MAX_PATHS = 16
/** Peers check the path in use at least every 5 seconds, give or take a fifth. */
const SILENT_AFTER_MS = 7000

/**
 * Chooses among the paths of one peer. A peer moves by nominating another path, or by checking another one while the selected
 * one is silent, as happens when its address changes on the way.
 */
export function createPathChoice(): PathChoice {
  const checkedAt = new Map<Path, number>()
  let selected: Path | undefined
  const isSilent = (path: Path) => performance.now() - checkedAt.get(path)! > SILENT_AFTER_MS

  function makeRoom() {
    if (checkedAt.size <= MAX_PATHS) return
    const others = [...checkedAt].filter(([path]) => path !== selected)
    const [oldest] = others.reduce((a, b) => (b[1] < a[1] ? b : a))
    checkedAt.delete(oldest)
    oldest.close()
  }

  return {
    get selected() {
      return selected
    },
    checked(path, useCandidate) {
      if (selected === undefined || useCandidate || isSilent(selected)) selected = path
      checkedAt.set(path, performance.now())
      makeRoom()
    },
    lost(path) {
      checkedAt.delete(path)
      if (path === selected) selected = [...checkedAt].reduce<Entry | undefined>(later, undefined)?.[0]
    },
    close() {
      for (const path of checkedAt.keys()) path.close()
      checkedAt.clear()
      selected = undefined
    },
  }
}

type Entry = readonly [path: Path, checkedAt: number]

function later(one: Entry | undefined, other: Entry): Entry {
  return one === undefined || other[1] >= one[1] ? other : one
}
