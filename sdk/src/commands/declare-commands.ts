import type { Client } from '../client/client.ts'

/** A command, as people see it when they type `/`. */
export interface CommandDescription {
  /** Up to 120 characters. */
  readonly description: string
  /** A hint about the arguments, such as `<service> [version]`, up to 60 characters. */
  readonly usage?: string
}

/** Replaces the application's list of commands if it differs, because that uses the write quota. */
export async function declareCommands(
  client: Client,
  commands: readonly (CommandDescription & { readonly name: string })[],
  signal?: AbortSignal,
): Promise<void> {
  const wanted = commands.map(({ name, description, usage = null }) => ({ name, description, usage }))
  const declared = (await client.listCommands({ signal })).commands.map(({ name, description, usage }) => ({
    name,
    description,
    usage,
  }))
  if (JSON.stringify(declared) !== JSON.stringify(wanted))
    await client.replaceCommands({ commands: wanted }, { signal })
}
