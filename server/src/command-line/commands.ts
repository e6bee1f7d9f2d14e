import type { Command } from './command.ts'
import { EXAMPLE } from './create-admin-example.ts'

/**
 * The commands of `npx portico`. What a command runs is loaded when it runs, so that help and mistakes are answered at once,
 * and the doctor doesn't wait for the whole server.
 */
export const commands: Readonly<Record<string, Command>> = {
  start: {
    usage: 'start',
    about: 'Start the portal',
    details: ['It serves on http://localhost:3000 unless PORT, HOST or PUBLIC_URL say otherwise. Ctrl+C stops it.'],
    run: async (...given) => (await import('./start.ts')).runStart(...given),
  },
  demo: {
    usage: 'demo',
    about: 'Start the portal with a lively demo community',
    details: [
      'People, channels, bots and messages are created in a data folder that is still empty.',
      'Choose another one than that of your portal: PORTICO_DATA=./demo-data',
    ],
    run: async (...given) => (await import('./demo.ts')).runDemo(...given),
  },
  migrate: {
    usage: 'migrate',
    about: 'Migrate the database to this version and exit',
    details: ['Every start does this too.'],
    run: async (...given) => (await import('./migrate.ts')).runMigrate(...given),
  },
  'create-admin': {
    usage: 'create-admin <name>',
    about: 'Create an administrator, or make an existing person one',
    details: ['The password of a new administrator is typed, or read from standard input.', EXAMPLE],
    operands: { min: 1, max: Infinity },
    run: async (...given) => (await import('./create-admin.ts')).runCreateAdmin(...given),
  },
  'reset-password': {
    usage: 'reset-password <name>',
    about: 'Set a new password for a person and sign them out everywhere, including websites',
    details: ['The password is typed, or read from standard input.'],
    operands: { min: 1, max: Infinity },
    run: async (...given) => (await import('./reset-password.ts')).runResetPassword(...given),
  },
  doctor: {
    usage: 'doctor',
    about: 'Check everything the portal needs and suggest fixes',
    details: ['Nothing is changed. The exit code is 1 if there are errors.'],
    runsWithInvalidSettings: true,
    run: async (...given) => (await import('./doctor.ts')).runDoctor(...given),
  },
  backup: {
    usage: 'backup [file]',
    about: 'Back up database, files and secret, even while the portal runs',
    details: [
      'Without a file, the backup is written to the current folder under a name with date and time.',
      'The folder of the file must exist, so that a backup disk that isn’t mounted is noticed.',
    ],
    operands: { min: 0, max: 1 },
    run: async (...given) => (await import('./backup.ts')).runBackup(...given),
  },
  'accept-secret': {
    usage: 'accept-secret',
    about: 'Continue with a new secret after losing the old one',
    details: [
      'Set the new secret first (PORTICO_SECRET, or the file secret in the data folder), and stop the portal.',
      'Websites get new sign-in keys at the next start, and every webhook needs a new secret.',
    ],
    run: async (...given) => (await import('./accept-secret.ts')).runAcceptSecret(...given),
  },
  restore: {
    usage: 'restore <file> [--force]',
    about: 'Restore a backup; --force replaces existing data',
    details: ['Stop the portal first. Without --force, a database or a data folder that isn’t empty is left alone.'],
    operands: { min: 1, max: 1 },
    flags: ['force'],
    run: async (...given) => (await import('./restore.ts')).runRestore(...given),
  },
  'new-bot': {
    usage: 'new-bot <name>',
    about: 'Write a small project for a bot into a new folder',
    details: ['The name consists of lowercase letters, digits and hyphens.'],
    operands: { min: 1, max: 1 },
    runsWithInvalidSettings: true,
    run: async (...given) => (await import('./new-bot.ts')).runNewBot(...given),
  },
}
