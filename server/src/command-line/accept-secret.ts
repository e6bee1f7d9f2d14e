import { openSecret } from '../secrets/secret.ts'
import { acceptSecret, isForeignSecret } from '../secrets/secret-verifier.ts'
import type { Command } from './commands.ts'
import { withStorage } from './with-storage.ts'

export const acceptSecretCommand: Command = {
  usage: 'accept-secret',
  about: 'Continue with a new secret after losing the old one',
  details: [
    'Set the new secret first (PORTICO_SECRET, or the file secret in the data folder), and stop the portal.',
    'Websites get new sign-in keys at the next start, and every webhook needs a new secret.',
  ],
  run: (config) =>
    withStorage(config, async (database) => {
      const secret = await openSecret(config)
      if (!(await isForeignSecret(database, secret))) {
        process.stdout.write('The database was written with this secret. There is nothing to do.\n')
        return 0
      }
      await acceptSecret(database, secret)
      process.stdout.write(
        'The portal continues with the new secret. Websites get new sign-in keys at the next start, ' +
          'and every webhook needs a new secret: its owner creates one on the application’s webhook page.\n',
      )
      return 0
    }),
}
