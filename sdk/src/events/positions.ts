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

/** Remembers the position as long as the process runs: a restarted bot begins with new events. */
export function memoryPositions(): PositionStore {
  let saved: Position | undefined
  return {
    load: async () => saved,
    save: async (position) => {
      saved = position
    },
  }
}

/**
 * Remembers the position in a file, which is replaced as a whole: a crash at any moment leaves the last or the new position.
 * Each bot needs a file of its own.
 */
export function filePositions(path: string | URL): PositionStore {
  return {
    async load() {
      const { readFile } = await import('node:fs/promises')
      try {
        return JSON.parse(await readFile(path, 'utf8')) as Position
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
    async save(position) {
      const { open, rename } = await import('node:fs/promises')
      const next = typeof path === 'string' ? `${path}.next` : new URL(`${path.href}.next`)
      const file = await open(next, 'w')
      try {
        await file.writeFile(`${JSON.stringify(position)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(next, path)
    },
  }
}
