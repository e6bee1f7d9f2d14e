import { sql, type Kysely } from 'kysely'
import { system } from '../../operations/actor.ts'
import { insertPerson } from '../../accounts/account.ts'
import { hashPassword } from '../../accounts/password.ts'
import type { Tables } from '../../db/tables.ts'
import { newId } from '../../operations/ids.ts'
import { run, type Tx } from '../../operations/transaction.ts'
import type { Running } from '../program.ts'
import { actingWith, txOf, type Acting } from './acting.ts'
import { BOTS } from './bots.ts'
import { CHANNELS } from './channels.ts'
import { writeDraft, type Demo } from './demo-file.ts'
import { makeBots, type MadeBots } from './make-bots.ts'
import { makeChannel, type MadeChannel, type Resident, type Residents } from './make-channel.ts'
import { newPassword } from './new-password.ts'
import { PEOPLE, type PersonKey } from './people.ts'
import { postConversations } from './post-conversations.ts'
import type { Speaker } from './conversations.ts'

interface DemoPerson {
  readonly key: PersonKey
  readonly name: string
  readonly password: string
  readonly passwordHash: string
}

/** Minutes, for a busy machine: no one waits for a response. */
const DEADLINE_SEC = 600

/**
 * Creates the demo community in one transaction, unless `refuse` objects at its beginning. Its passwords and keys are
 * written to a draft of demo.json before the commit, so that people whose passwords nobody knows can't exist.
 */
export async function seed(
  { services, handlers }: Pick<Running, 'services' | 'handlers'>,
  addresses: Pick<Demo, 'url' | 'apiUrl'>,
  refuse: (db: Kysely<Tables>) => Promise<void>,
): Promise<Demo> {
  const demoPeople = await Promise.all(
    Object.entries(PEOPLE).map(([key, { name }]) => demoPerson(key as PersonKey, name)),
  )
  const acting = actingWith(services, handlers)
  const { result } = await run(
    services,
    system,
    async (tx) => {
      // Prevents a concurrent set-up, and of two concurrent runs one finds the other's community.
      await sql`LOCK TABLE instance IN EXCLUSIVE MODE`.execute(tx.db)
      await refuse(tx.db)
      const people = await insertPeople(tx, acting, demoPeople)
      const channels: MadeChannel[] = []
      for (const plan of CHANNELS) channels.push(await makeChannel(plan, people))
      const bots = await makeBots(tx, { services, acting }, people, channels)
      for (const channel of channels) {
        for (const room of channel.rooms)
          await postConversations(tx, channel, room, (who) => accountOf(people, bots, who))
      }
      const demo = summary(addresses, demoPeople, channels, bots)
      await writeDraft(services.config, demo)
      return demo
    },
    { deadlineSec: DEADLINE_SEC },
  )
  return result
}

async function demoPerson(key: PersonKey, name: string): Promise<DemoPerson> {
  const password = newPassword()
  return { key, name, password, passwordHash: await hashPassword(password) }
}

async function insertPeople(tx: Tx, acting: Acting, demoPeople: readonly DemoPerson[]): Promise<Residents> {
  const residents: [PersonKey, Resident][] = []
  for (const { key, name, passwordHash } of demoPeople) {
    const isAdministrator = 'isAdministrator' in PEOPLE[key]
    const { id, avatar, avatarVersion } = await insertPerson(tx, {
      name,
      passwordHash,
      isAdministrator,
      locale: PEOPLE[key].locale,
    })
    const person = { kind: 'person', id, name, avatar, avatarVersion, sessionId: newId(), isAdministrator } as const
    residents.push([key, { id, act: acting(tx, person), tx: txOf(tx, person) }])
  }
  return Object.fromEntries(residents) as Record<PersonKey, Resident>
}

function accountOf(people: Residents, bots: MadeBots, who: Speaker): string {
  return who === 'shipyard' || who === 'almanac' ? bots[who].botId : people[who].id
}

function summary(
  addresses: Pick<Demo, 'url' | 'apiUrl'>,
  demoPeople: readonly DemoPerson[],
  channels: readonly MadeChannel[],
  bots: MadeBots,
): Demo {
  return {
    ...addresses,
    people: demoPeople.map(({ name, password }) => ({ name, password })),
    channels: channels.map(({ id, plan, rooms }) => ({
      id,
      name: plan.name,
      rooms: rooms.map(({ id, plan: { name, type, private: isPrivate = false } }) => ({
        id,
        name,
        type,
        private: isPrivate,
      })),
    })),
    applications: (Object.keys(BOTS) as (keyof typeof BOTS)[]).map((which) => bots[which].application),
  }
}
