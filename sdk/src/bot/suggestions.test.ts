import { optionSuggested, type OptionSuggestions } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { OpenPortal } from '../../../server/test/open-portal.ts'
import type { Person } from '../../../server/test/person.ts'
import { integer, string, type Suggest } from '../commands/options.ts'
import { UnprocessableError } from '../client/errors.ts'
import { botOf } from '../../test/start-bot.ts'

const SERVICES = ['api', 'web', 'worker']

async function suggestFixture() {
  const made = await channelFixture({ bots: 1, people: 1 })
  const { server, room, bots, people } = made
  const [ada] = people
  const open = await OpenPortal.of(server, ada)
  const ask = (option: string, typed: string, line = '', person: Person = ada) =>
    person.post<{ id: string }>(`/rooms/${room.id}/option-requests`, {
      channelId: room.channelId,
      botId: bots[0].id,
      command: '/deploy',
      option,
      typed,
      line,
    })
  /** What the bot suggests. Asks again if a slow machine was too late. */
  const suggested = async (option: string, typed: string, line?: string): Promise<OptionSuggestions['suggestions']> => {
    const asked = new Set<string>()
    await eventually(async () => {
      asked.add(expectOk(await ask(option, typed, line)).id)
      return open.eventsOf(optionSuggested).some(({ data }) => asked.has(data.requestId))
    }).toBe(true)
    return open.eventsOf(optionSuggested).find(({ data }) => asked.has(data.requestId))?.data.suggestions ?? []
  }
  return { ...made, ada, bot: botOf(server, bots[0]), ask, suggested }
}

describe('an option with suggest', () => {
  test('suggests values while people write it, without asking for the event itself', async () => {
    const { ada, room, bot, suggested } = await suggestFixture()
    const seen: unknown[] = []
    const options = {
      service: string({
        required: true,
        suggest: ({ typed, roomId, author, options }) => {
          seen.push([typed, roomId, author, options])
          return SERVICES.filter((service) => service.startsWith(typed))
        },
      }),
      count: integer({ suggest: async () => [1, { value: 10, label: 'All of them' }] }),
    }
    bot.command('/deploy', { description: 'Deploys', options }, () => undefined)
    await bot.start()
    expect(await suggested('service', 'w', 'w count:3')).toEqual([{ value: 'web' }, { value: 'worker' }])
    expect(seen[0]).toEqual(['w', room.id, { id: ada.id, name: ada.name }, { count: 3 }])
    expect(await suggested('count', '')).toEqual([{ value: '1' }, { value: '10', label: 'All of them' }])
    const { commands } = await bot.client.listCommands()
    expect(commands[0]?.options).toMatchObject([{ suggestions: true }, { suggestions: true }])
  })

  test('sends at most 25, past middleware, while a command runs', async () => {
    const { owner, room, bot, suggested } = await suggestFixture()
    const many = Array.from({ length: 40 }, (_, at) => `service-${at}`)
    const through: string[] = []
    let finish = (): void => undefined
    const running = new Promise<void>((resolve) => (finish = resolve))
    bot.use((ctx, next) => {
      through.push(ctx.event.event)
      return next()
    })
    bot.command(
      '/deploy',
      { description: 'Deploys', options: { service: string({ suggest: () => many }) } },
      () => running,
    )
    await bot.start()
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: '/deploy api' }))
    await eventually(() => through).toEqual(['message.created'])
    expect(await suggested('service', '')).toHaveLength(25)
    expect(through[1]).toBe('option.requested')
    finish()
  })

  test('reports an error to onError, and answers the next request', async () => {
    const { bot, ask, suggested } = await suggestFixture()
    const errors: unknown[] = []
    let isBroken = true
    const suggest: Suggest<string> = () => {
      if (isBroken) throw new Error('the list of services is away')
      return SERVICES
    }
    bot.command('/deploy', { description: 'Deploys', options: { service: string({ suggest }) } }, () => undefined)
    bot.onError((error) => errors.push(error))
    await bot.start()
    await eventually(async () => {
      expectOk(await ask('service', ''))
      return errors.length
    }).toBeGreaterThan(0)
    expect(errors[0]).toMatchObject({ message: 'the list of services is away' })
    isBroken = false
    expect(await suggested('service', '')).toHaveLength(SERVICES.length)
    await expect(bot.client.sendSuggestions({ requestId: 'A'.repeat(80), suggestions: [] })).rejects.toThrow(
      UnprocessableError,
    )
  })

  test('has the type of its values', () => {
    // @ts-expect-error: a whole number isn't text
    integer({ suggest: () => ['one'] })
    // @ts-expect-error: text isn't a number
    string({ suggest: () => [1] })
    const { declaration } = string({ min: 1, suggest: () => ['api'] })
    expect(declaration).toEqual({ type: 'string', min: 1, suggestions: true })
    expect(string().declaration).toEqual({ type: 'string' })
  })
})

describe('a bot with a webhook', () => {
  test('says that suggestions need a stream', async () => {
    const { bot } = await suggestFixture()
    const warnings: string[] = []
    bot.command(
      '/deploy',
      { description: 'Deploys', options: { service: string({ suggest: () => [] }) } },
      () => undefined,
    )
    bot.on('warning', (message) => warnings.push(message))
    bot.webhook({ secret: 'whsec_bW9vcmluZy1saW5lcy1hbmQtY2xlYXRz' })
    await bot.start()
    await eventually(() => warnings.join()).toContain('suggestions need a stream')
  })
})
