import { StartFault } from '../db/start-fault.ts'
import type { Command } from './commands.ts'

export const backupCommand: Command = {
  usage: 'backup',
  about: 'backup',
  run: () => Promise.reject(new StartFault('not yet', 'wait')),
}
