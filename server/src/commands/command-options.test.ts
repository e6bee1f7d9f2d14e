import type { Command, InvokedCommand, Output, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import type { Person } from '../../test/person.ts'
import { Stream } from '../../test/stream.ts'
import { WebhookReceiver } from '../../test/webhook-receiver.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

const SERVICE = { name: 'service', type: 'string', required: true }
const COUNT = { name: 'count', type: 'integer', min: 1, max: 9 }
const WHERE = { name: 'where', type: 'choice', choices: [{ value: 'staging' }, { value: 'live', label: 'Production' }] }

interface Place {
  readonly id: string
  readonly channelId: string
}

function declare(bot: Bot, options?: unknown, name = '/deploy') {
  return bot.put<{ commands: Command[] }>('/commands', { commands: [{ name, description: 'Deploys', options }] })
}

async function write(author: Pick<Person, 'post'>, { id, channelId }: Place, text: string): Promise<{ id: string }> {
  return expectOk(await author.post<{ id: string }>(`/rooms/${id}/messages`, { channelId, text }))
}

/** What a bot's stream has received: the command of each message. */
async function commandsIn(stream: Stream, count: number): Promise<unknown[]> {
  return (await stream.first(count)).map(({ data }) => (data['command'] as InvokedCommand | undefined) ?? null)
}

describe('replaceCommands', () => {
  test('stores options, and lists them for the bot and for people', async () => {
    const { owner, bots, at } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const options = [SERVICE, { ...COUNT, description: 'How many' }, WHERE]
    const declared = expectOk(await declare(bot, options)).commands
    expect(declared).toMatchObject([{ name: '/deploy', usage: null, position: 1, options }])
    expect(expectOk(await bot.get<{ commands: Command[] }>('/commands')).commands).toEqual(declared)
    const listed = expectOk(await owner.get<Output<typeof api.listChannelCommands>>(`${at}/commands`))
    expect(listed.commands).toMatchObject([{ name: '/deploy', options }])

    expectOk(await declare(bot))
    const { commands } = expectOk(await owner.get<Output<typeof api.listChannelCommands>>(`${at}/commands`))
    expect(commands[0]).not.toHaveProperty('options')
  })

  test.each<[string, unknown, string]>([
    ['eleven', Array.from({ length: 11 }, (_, at) => ({ ...COUNT, name: `o${at}` })), 'must be a list of 1–10 options'],
    ['of another type', [{ ...SERVICE, type: 'file' }], 'options.0.type: must be one of string, integer'],
    ['with a blank in the name', [{ ...SERVICE, name: 'my service' }], 'options.0.name: must start with a letter'],
    ['alike', [SERVICE, { ...COUNT, name: 'Service' }], 'options: must have different names'],
    ['required after others', [COUNT, SERVICE], 'options: must have the required ones first'],
    ['a choice without choices', [{ ...WHERE, choices: undefined }], 'options.0: must have choices'],
    ['choices of a string', [{ ...WHERE, type: 'string' }], 'must have choices only if it is a choice'],
    ['choices alike', [{ ...WHERE, choices: [{ value: 'a' }, { value: 'A' }] }], 'choices with different values'],
    [
      'too many choices',
      [{ ...WHERE, choices: Array.from({ length: 26 }, (_, at) => ({ value: `c${at}` })) }],
      'must be a list of 1–25 choices',
    ],
    ['a choice with a blank', [{ ...WHERE, choices: [{ value: 'a b' }] }], 'choices.0.value: must be 1–50 characters'],
    ['bounds of a member', [{ name: 'who', type: 'member', min: 1 }], 'must have min and max only if'],
    ['bounds in the wrong order', [{ ...COUNT, min: 9, max: 1 }], 'must have a min that is at most its max'],
    ['half an integer', [{ ...COUNT, min: 0.5 }], 'must have whole numbers'],
    ['a negative length', [{ ...SERVICE, min: -1 }], 'must have a min of at least 0'],
  ])('refuses options that are %s', async (_, options, message) => {
    const { bots } = await channelFixture({ bots: 1 })
    const refused = await declare(bots[0], options)
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) as string } })
  })

  test('bounds the options of all commands together', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const choices = Array.from({ length: 25 }, (_, at) => ({ value: `c${at}`, label: 'l'.repeat(80) }))
    const options = Array.from({ length: 10 }, (_, at) => ({ ...WHERE, name: `o${at}`, choices }))
    const commands = ['/a', '/b'].map((name) => ({ name, description: 'Deploys', options }))
    expectOk(await bots[0].put('/commands', { commands: commands.slice(0, 1) }))
    expectRefusal(await bots[0].put('/commands', { commands }), 'badRequest', {
      field: 'commands',
      message: 'commands: must have options of at most 32000 characters in all, as JSON',
    })
  })
})

describe('message.created', () => {
  test('carries the options of a command for the bot that declared them, live and when it missed them', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 3 })
    const [bot, other, alike] = bots
    expectOk(await declare(bot, [SERVICE, COUNT, WHERE], '/Deploy'))
    expectOk(await declare(other))
    expectOk(await declare(alike, [{ name: 'what', type: 'string' }]))
    const before = await Stream.of(server, bot)
    const streams = await Promise.all([other, alike].map((each) => Stream.of(server, each)))
    await write(owner, room, '/deploy api 3 where:production')
    await write(owner, room, 'Not a command')
    const mine = { name: '/Deploy', options: { service: 'api', count: 3, where: 'live' } }
    expect(await commandsIn(before, 2)).toEqual([mine, null])
    expect(await commandsIn(streams[0]!, 2)).toEqual([null, null])
    const whole = { name: '/deploy', options: { what: 'api 3 where:production' } }
    expect(await commandsIn(streams[1]!, 2)).toEqual([whole, null])

    const [first] = before.received
    before.cut()
    await write(owner, room, '/deploy web')
    await before.until(() => before.received.length === 3)
    expect(before.received[2]?.envelope.data['command']).toEqual({ name: '/Deploy', options: { service: 'web' } })
    expect(first?.envelope.data).toMatchObject({ message: { text: '/deploy api 3 where:production' } })
  })

  test('carries what is wrong with the options', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const [bot] = bots
    expectOk(await declare(bot, [SERVICE, COUNT]))
    const stream = await Stream.of(server, bot)
    await write(owner, room, '/deploy api many more')
    expect(await commandsIn(stream, 1)).toEqual([
      {
        name: '/deploy',
        options: { service: 'api' },
        errors: [
          { option: 'count', problem: 'not_integer', message: 'count must be a whole number.' },
          { problem: 'too_many', message: 'There is no option for “more”.' },
        ],
      },
    ])
  })

  test('has only members, roles and rooms that the bot and the author can see', async () => {
    const { server, owner, people, bots, room, newRoom, newPerson, newRole, at } = await channelFixture({
      people: 1,
      bots: 1,
    })
    const [bot] = bots
    const options = ['member', 'role', 'room'].map((type) => ({ name: type, type }))
    expectOk(await declare(bot, options))
    const stream = await Stream.of(server, bot)
    const role = await newRole('Crew', [])
    const [stranger, secret] = [await newPerson(), await newRoom('text', { private: true })]
    expectOk(await owner.patch<Room>(`${at}/rooms/${secret.id}`, { name: 'The secret plan' }))
    const admit = async (...memberIds: string[]) =>
      expectOk(await owner.put(`${at}/rooms/${secret.id}/admissions`, { memberIds, roleIds: [] }))

    const mention = `member:<@${people[0].id}> role:<@&${role.id}>`
    await write(people[0], room, `/deploy ${mention} room:#Workshop`)
    await write(owner, room, `/deploy member:<@${stranger.id}> role:<@&${stranger.id}> room:"#the secret plan"`)
    await admit(owner.id, bot.id)
    await write(owner, room, `/deploy room:"#the secret plan"`)
    await write(people[0], room, `/deploy room:${secret.id}`)
    await admit(owner.id, people[0].id)
    await write(people[0], room, `/deploy room:${secret.id}`)
    await newRoom('text')
    await write(owner, room, '/deploy room:workshop')
    const problems = (...types: string[]) =>
      types.map((type) => expect.objectContaining({ problem: `not_${type}` }) as object)
    expect(await commandsIn(stream, 6)).toMatchObject([
      { options: { member: people[0].id, role: role.id, room: room.id } },
      { options: {}, errors: problems('member', 'role', 'room') },
      { options: { room: secret.id } },
      { options: {}, errors: problems('room') },
      { options: {}, errors: problems('room') },
      // Two rooms have this name.
      { options: {}, errors: problems('room') },
    ])
  })

  test('carries the options to a webhook, also when it is sent again, until the message is deleted', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 2 })
    const [bot, other] = bots
    const receivers = [await WebhookReceiver.start('127.0.0.1'), await WebhookReceiver.start('127.0.0.1')]
    for (const [nth, each] of [bot, other].entries()) expectOk(await each.put('/webhook', { url: receivers[nth]!.url }))
    expectOk(await declare(bot, [SERVICE]))
    const { id } = await write(owner, room, '/deploy api')
    for (const receiver of receivers) await receiver.first(1)
    const commands = () => receivers.map(({ received }) => received.map(({ event }) => event.data['command']))
    expect(commands()).toEqual([[{ name: '/deploy', options: { service: 'api' } }], [undefined]])

    const path = `/applications/${bot.application.id}/deliveries`
    const deliveries = async () =>
      expectOk(await owner.get<{ deliveries: { id: string; event: string; state: string }[] }>(path)).deliveries
    const delivery = async () => (await deliveries()).find(({ event }) => event === 'message.created')
    // One that is under way isn't sent again.
    const again = async () => {
      await eventually(async () => (await delivery())?.state).toBe('delivered')
      expectOk(await owner.post(`${path}/${(await delivery())?.id}/redeliver`))
    }
    await again()
    await receivers[0]!.first(2)
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    await again()
    await receivers[0]!.until(() => receivers[0]!.received.some(({ event }) => event.event === 'message.deleted'))
    await receivers[0]!.first(4)
    const created = receivers[0]!.received.filter(({ event }) => event.event === 'message.created')
    expect(created.map(({ event }) => event.data['command'])).toEqual([
      { name: '/deploy', options: { service: 'api' } },
      { name: '/deploy', options: { service: 'api' } },
      undefined,
    ])
  })

  test('says nothing of commands to portals', async () => {
    const { owner, bots, room, publishedEvents } = await channelFixture({ bots: 1 })
    expectOk(await declare(bots[0], [SERVICE]))
    await write(owner, room, '/deploy api')
    const created = (await publishedEvents()).find(({ event }) => event === 'message.created')
    expect(created?.data).not.toHaveProperty('command')
  })
})
