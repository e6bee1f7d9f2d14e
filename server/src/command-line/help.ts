import { commands } from './commands.ts'

export function help(): string {
  const rows = Object.values(commands).map(({ usage, about }) => `  npx portico ${usage.padEnd(28)} ${about}`)
  return `Portico, a self-hosted chat portal\n\n${rows.join('\n')}\n\nSettings are environment variables: docs/settings.md\n`
}
