import { operations, type api, type Input, type Output } from '@portico/contract'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { Client } from './client.ts'
import { ROUTES, type OperationName, type Route } from './operations.ts'

const routes: Readonly<Record<string, Route>> = ROUTES
const expected = [...operations].filter(([, { by }]) => ['bot', 'member', 'user'].includes(by))

describe('the client', () => {
  test('has every operation of the bot API and of the routes for user tokens, and no other', () => {
    expect(Object.keys(ROUTES).toSorted()).toEqual(expected.map(([name]) => name).toSorted())
    for (const name of Object.keys(ROUTES)) expect(Client.prototype).toHaveProperty(name)
  })

  test.each(expected)('requests %s as the contract describes it', (name, { at, quota, idempotent, takes }) => {
    const { at: requested, isWrite, takesIdempotencyKey, takesFile } = routes[name] ?? {}
    expect([requested, isWrite, takesIdempotencyKey]).toEqual([at, quota === 'write' || undefined, idempotent])
    expect(takesFile ?? false).toBe(takes === 'file')
  })

  test('has the types of the contract', () => {
    type Given<Name extends OperationName> = Parameters<Client[Name]>[0]
    type Got<Name extends OperationName> = Awaited<ReturnType<Client[Name]>>
    type Contract = typeof api
    expectTypeOf<Given<'sendMessage'>>().toEqualTypeOf<Input<Contract['sendMessage']>>()
    expectTypeOf<Given<'muteChat'>>().toEqualTypeOf<Input<Contract['muteChat']>>()
    expectTypeOf<Given<'replaceCommands'>>().toEqualTypeOf<Input<Contract['replaceCommands']>>()
    // Fields that only people get are left out.
    expectTypeOf<Output<Contract['listMessages']>>().toExtend<Got<'listMessages'>>()
    expectTypeOf<Output<Contract['listRooms']>>().toExtend<Got<'listRooms'>>()
    expectTypeOf<Output<Contract['listMembers']>>().toExtend<Got<'listMembers'>>()
    expectTypeOf<Output<Contract['getProfile']>>().toEqualTypeOf<Got<'getProfile'>>()
    expectTypeOf<Output<Contract['getCurrentUser']>>().toEqualTypeOf<Got<'getCurrentUser'>>()
  })
})
