import pg, { type Client } from 'pg'

export interface RecordedStatement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Collects what the server sends to its database while `work` runs: of each text, the values of every call. */
export async function recordStatements(work: () => Promise<void>): Promise<RecordedStatement[]> {
  const recorded = new Map<string, RecordedStatement>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: Client, ...args: unknown[]) {
    const [first, second] = args
    const sent =
      typeof first === 'object' && first !== null && 'text' in first ? first : { text: first, values: second }
    const { text, values } = sent as { text: unknown; values?: unknown }
    const { options } = (this as unknown as { connectionParameters: { options?: string } }).connectionParameters
    // Only the server's own connections use generic plans.
    if (typeof text === 'string' && options?.includes('force_generic_plan')) {
      const given = Array.isArray(values) ? [...(values as unknown[])] : []
      recorded.set(`${text}\n${JSON.stringify(given)}`, { text, values: given })
    }
    return Reflect.apply(query, this, args)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return [...recorded.values()]
}
