import { COMMAND } from '../config/command.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'

const SETTINGS = 'Settings are environment variables: docs/settings.md'

export function help(): string {
  const rows = Object.values(commands).map(({ usage, about }) => `  ${COMMAND} ${usage.padEnd(28)} ${about}`)
  const more = `${COMMAND} <command> --help explains a command, and ${COMMAND} --version prints the version.`
  return `Portico, a self-hosted chat portal\n\n${rows.join('\n')}\n\n${more}\n${SETTINGS}\n`
}

/** What `portico <command> --help` prints. */
export function commandHelp({ usage, about, details }: Command): string {
  return `${about}\n\n  ${COMMAND} ${usage}\n\n${[...details, SETTINGS].join('\n')}\n`
}
