/** A position in the portal's event log. It means nothing in another log, such as that of a restored backup. */
export interface Position {
  /** Names the log. */
  readonly epoch: string
  readonly offset: number
}

/**
 * Where a bot remembers up to which event everything is handled, so that it continues there when it is started again. The
 * portal keeps events for 72 hours, at most 10,000.
 */
export interface PositionStore {
  /** Undefined if nothing was saved: the bot begins with new events. */
  load(): Promise<Position | undefined>
  /** Called with increasing positions, and not again before the promise is settled. */
  save(position: Position): Promise<void>
}

/** What a bot with sessions saves, as a whole or not at all. */
export interface StateChange {
  /** Undefined if the bot gets its events over a webhook, which has no positions. */
  readonly position: Position | undefined
  /** Events after the position that are handled already, as ranges of offsets, each with its first and last one. */
  readonly finished: readonly (readonly [number, number])[]
  /** The changed sessions as JSON, by their keys; undefined deletes one. */
  readonly sessions: ReadonlyMap<string, string | undefined>
}

/** A position store that also keeps sessions. They change together with the position, so that a crash can't separate them. */
export interface SessionStore extends PositionStore {
  /** The `finished` of the last `saveState`. */
  loadFinished(): Promise<StateChange['finished']>
  /** The session as JSON; undefined if there is none. */
  loadSession(key: string): Promise<string | undefined>
  /** Called instead of `save`, and not again before the promise is settled. */
  saveState(change: StateChange): Promise<void>
}

/** Remembers the position and sessions as long as the process runs: a restarted bot begins with new events. */
export function memoryPositions(): SessionStore {
  let saved: Position | undefined
  let handled: StateChange['finished'] = []
  const kept = new Map<string, string>()
  return {
    load: async () => saved,
    save: async (position) => {
      saved = position
    },
    loadFinished: async () => handled,
    loadSession: async (key) => kept.get(key),
    saveState: async ({ position, finished, sessions }) => {
      saved = position
      handled = finished
      applyTo(kept, sessions)
    },
  }
}

/** What the file contains. Without sessions it is only the position. */
interface StateFile extends Partial<Position> {
  readonly finished?: StateChange['finished']
  readonly sessions?: Readonly<Record<string, string>>
}

/**
 * Remembers the position in a file, which is replaced as a whole: a crash at any moment leaves the last or the new position.
 * Sessions are in the same file, and in memory; for many thousands of them use `sqlitePositions`. Each bot needs a file of its own.
 */
export function filePositions(path: string | URL): SessionStore {
  let reading: Promise<StateFile> | undefined
  let kept = new Map<string, string>()
  const read = async (): Promise<StateFile> => {
    const { readFile } = await import('node:fs/promises')
    try {
      const file = JSON.parse(await readFile(path, 'utf8')) as StateFile
      kept = new Map(Object.entries(file.sessions ?? {}))
      return file
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
      throw error
    }
  }
  const write = async ({ position, finished, sessions }: StateChange): Promise<void> => {
    await (reading ??= read())
    const next = applyTo(new Map(kept), sessions)
    const state: StateFile = {
      ...position,
      ...(finished.length > 0 && { finished }),
      ...(next.size > 0 && { sessions: Object.fromEntries(next) }),
    }
    await replaceFile(path, `${JSON.stringify(state)}\n`)
    kept = next
  }
  return {
    async load() {
      const { epoch, offset } = await (reading = read())
      return epoch === undefined || offset === undefined ? undefined : { epoch, offset }
    },
    save: (position) => write({ position, finished: [], sessions: new Map() }),
    loadFinished: async () => (await (reading ??= read())).finished ?? [],
    async loadSession(key) {
      await (reading ??= read())
      return kept.get(key)
    },
    saveState: write,
  }
}

function applyTo(kept: Map<string, string>, changes: StateChange['sessions']): Map<string, string> {
  for (const [key, value] of changes) {
    if (value === undefined) kept.delete(key)
    else kept.set(key, value)
  }
  return kept
}

async function replaceFile(path: string | URL, text: string): Promise<void> {
  const { open, rename } = await import('node:fs/promises')
  const next = typeof path === 'string' ? `${path}.next` : new URL(`${path.href}.next`)
  const file = await open(next, 'w')
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(next, path)
}
