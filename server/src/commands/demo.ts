import type { Command } from './commands.ts'
import { greeting, serve } from './start.ts'

export const demo: Command = {
  usage: 'demo',
  about: 'Start the portal with a lively demo community',
  run: (config) => serve(config, greeting),
}
