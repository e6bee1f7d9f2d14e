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
      description: 'Channels to transfer or delete first',
    }),
    lastAdministrator: Type.Boolean({ description: 'Someone else must become an administrator first' }),
    applications: Type.Array(Named, { description: 'Deleted with the account' }),
  }),
)

export const getAccountDeletion = operation({
  at: 'GET /account/deletion',
  summary: 'Get what deleting your account would delete, and what prevents it',
  by: 'person',
  input: noInput,
  output: ok(AccountDeletion),
})

export const deleteAccount = operation({
  at: 'POST /account/deletion',
  summary: 'Delete your account permanently',
  description:
    'Name, picture, password, sessions, consents, applications and memberships are deleted immediately. Messages and reactions stay, shown as written by a deleted account.',
  by: 'person',
  input: Type.Object({ password: GivenPassword }),
  output: nothing,
})

export const exportData = operation({
  at: 'GET /account/data',
  summary: 'Export everything you have written and everything stored about you, as a JSON file',
  by: 'person',
  input: noInput,
  output: streamed('portico-data.json'),
})
