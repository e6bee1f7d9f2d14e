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
  readonly run: Run
}

/** Returns the exit code. */
export type Run = (config: Config, args: Arguments, settings: SettingsCheck, program: Program) => Promise<number>

/** Invalid and unknown settings, for commands that report them. */
export interface SettingsCheck {
  readonly errors: readonly string[]
  readonly unknown: readonly string[]
}
