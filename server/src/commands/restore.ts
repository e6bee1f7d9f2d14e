import { StartFault } from '../db/start-fault.ts'
import type { Command } from './commands.ts'

export const restoreCommand: Command = {
  usage: 'restore',
  about: 'restore',
  run: () => Promise.reject(new StartFault('not yet', 'wait')),
}
