import { openSecret } from '../secrets/secret.ts'
import { acceptSecret, isForeignSecret } from '../secrets/secret-verifier.ts'
import type { Run } from './command.ts'
import { withStorage } from './with-storage.ts'

export const runAcceptSecret: Run = (config) =>
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
  })
