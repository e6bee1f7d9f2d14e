import type { Config } from '../config.ts'
import { backupCommand } from './backup.ts'
import { createAdmin } from './create-admin.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { migrateCommand } from './migrate.ts'
import { resetPassword } from './reset-password.ts'
import { restoreCommand } from './restore.ts'
import { startCommand } from './start.ts'

export interface Command {
  readonly usage: string
  readonly about: string
  /** Runs although some settings do not fit; those stand at their defaults. */
  readonly runsWithFaults?: true
  /** Gives the exit code. */
  readonly run: (config: Config, args: readonly string[], faults: readonly string[]) => Promise<number>
}

/** What `npx portico …` understands. */
export const commands: Readonly<Record<string, Command>> = {
  start: startCommand,
  demo,
  migrate: migrateCommand,
  'create-admin': createAdmin,
  'reset-password': resetPassword,
  doctor,
  backup: backupCommand,
  restore: restoreCommand,
}
