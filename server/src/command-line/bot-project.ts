import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const TEMPLATE = join(import.meta.dirname, '../../bot-template')

/** The files of a new bot's project, by path. */
export function botProject(name: string, sdk: string): Readonly<Record<string, string>> {
  const files = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name)
      const text = readFileSync(path, 'utf8').replaceAll('{{name}}', name).replaceAll('{{sdk}}', sdk)
      return [file.name === 'bot.service' ? `${name}.service` : relative(TEMPLATE, path), text]
    }),
  )
}
