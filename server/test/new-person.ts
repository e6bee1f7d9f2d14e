import { insertPerson } from '../src/accounts/account.ts'
import { hashPassword } from '../src/accounts/password.ts'
import { startSession } from '../src/accounts/start-session.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { run } from '../src/operations/transaction.ts'
import { PASSWORD, Person } from './person.ts'
import type { TestServer } from './start-server.ts'

let hashing: Promise<string> | undefined

/** A new person with the shared test password, which is hashed only once because hashing is slow. */
export async function newPerson(server: TestServer): Promise<Person> {
  const person = new Person(server)
  const passwordHash = await (hashing ??= hashPassword(PASSWORD))
  const nobody = { kind: 'nobody', address: '127.0.0.1', device: '' } as const
  const { result, session } = await run(server.services, nobody, async (tx) => {
    const account = await insertPerson(tx, { name: person.name, passwordHash })
    await startSession(tx, account.id)
    return account
  })
  return person.known(result.id, `${cookieName(server.services.config.PUBLIC_URL.startsWith('https:'))}=${session}`)
}
