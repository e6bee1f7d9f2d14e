import { Type, type Static } from 'typebox'
import { GivenPassword } from './accounts.ts'
import { noInput, nothing, ok, operation, streamed } from './operation.ts'
import { Id, named } from './schema.ts'

const Named = Type.Object({ id: Id, name: Type.String() })

export type AccountDeletion = Static<typeof AccountDeletion>
export const AccountDeletion = named(
  'AccountDeletion',
  Type.Object({
    ownedChannels: Type.Array(Named, {
      description: 'To be handed over or deleted first; empty: nothing is in the way',
    }),
    lastAdministrator: Type.Boolean({ description: 'Somebody else must look after the portal first' }),
    applications: Type.Array(Named, { description: 'These go with the account' }),
  }),
)

export const getAccountDeletion = operation({
  at: 'GET /account/deletion',
  summary: 'What deleting one’s account would take along, and what stands in its way',
  by: 'person',
  input: noInput,
  output: ok(AccountDeletion),
})

export const deleteAccount = operation({
  at: 'POST /account/deletion',
  summary: 'Delete one’s account for good',
  description:
    'Name, picture, password, sessions, consents, applications and memberships are gone at once. Messages and reactions stay where they are, as those of a deleted account.',
  by: 'person',
  input: Type.Object({ password: GivenPassword }),
  output: nothing,
})

export const exportData = operation({
  at: 'GET /account/data',
  summary: 'Everything that one has written here and that is kept about one, as a JSON file',
  by: 'person',
  input: noInput,
  output: streamed('portico-data.json'),
})
