import { COMMAND } from '../config/command.ts'
import { commands } from './commands.ts'

export async function help(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map((load) => load()))
  const rows = all.map(({ usage, about }) => `  ${COMMAND} ${usage.padEnd(28)} ${about}`)
  return `Portico, a self-hosted chat portal\n\n${rows.join('\n')}\n\nSettings are environment variables: docs/settings.md\n`
}
