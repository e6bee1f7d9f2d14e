import { insertPerson } from '../src/accounts/account.ts'
import { hashPassword } from '../src/accounts/password.ts'
import { startSession } from '../src/accounts/start-session.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { run, type Tx } from '../src/operations/transaction.ts'
import { PASSWORD, Person } from './person.ts'
import type { TestServer } from './start-server.ts'

let hashing: Promise<string> | undefined

/** A new person with the shared test password, which is hashed only once because hashing is slow. */
export function newPerson(server: TestServer): Promise<Person> {
  return insert(server, (tx, person) => insertPerson(tx, person))
}

/** The same as an administrator, as the set-up page creates the first one. */
export function newAdministrator(server: TestServer): Promise<Person> {
  return insert(server, async (tx, person) => {
    const account = await insertPerson(tx, { ...person, isAdministrator: true })
    tx.audit({ action: 'administrator.created', target: account })
    return account
  })
}

interface Credentials {
  readonly name: string
  readonly passwordHash: string
}

async function insert(
  server: TestServer,
  make: (tx: Tx, person: Credentials) => Promise<{ readonly id: string }>,
): Promise<Person> {
  const person = new Person(server)
  const passwordHash = await (hashing ??= hashPassword(PASSWORD))
  const nobody = { kind: 'nobody', address: '127.0.0.1', device: '' } as const
  const { result, session } = await run(server.services, nobody, async (tx) => {
    const account = await make(tx, { name: person.name, passwordHash })
    await startSession(tx, account.id)
    return account
  })
  return person.known(result.id, `${cookieName(server.services.config.PUBLIC_URL.startsWith('https:'))}=${session}`)
}
