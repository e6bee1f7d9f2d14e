import type { Config } from '../config/config.ts'
import type { Arguments, Parameters } from './parse-arguments.ts'
import type { Program } from './program.ts'

export interface Command extends Parameters {
  readonly usage: string
  readonly about: string
  /** What `--help` says beyond that: settings that matter, an example. */
  readonly details: readonly string[]
  /** Runs despite invalid settings, with their defaults. */
  readonly runsWithInvalidSettings?: true
  /** Returns the exit code. */
  readonly run: (config: Config, args: Arguments, settings: SettingsCheck, program: Program) => Promise<number>
}

/** Invalid and unknown settings, for commands that report them. */
export interface SettingsCheck {
  readonly errors: readonly string[]
  readonly unknown: readonly string[]
}

/** The commands of `npx portico`. Loaded lazily, so that the doctor doesn't wait for the whole server. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).startCommand,
  demo: async () => (await import('./demo.ts')).demo,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  'create-admin': async () => (await import('./create-admin.ts')).createAdmin,
  'reset-password': async () => (await import('./reset-password.ts')).resetPassword,
  doctor: async () => (await import('./doctor.ts')).doctor,
  backup: async () => (await import('./backup.ts')).backupCommand,
  'accept-secret': async () => (await import('./accept-secret.ts')).acceptSecretCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  'new-bot': async () => (await import('./new-bot.ts')).newBot,
}
