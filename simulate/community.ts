import { randomBytes } from 'node:crypto'
import { SCOPES, type Application, type OwnChannel } from '@portico/contract'
import { Bot } from './actors/bot.ts'
import { ChannelLocks } from './actors/channel-locks.ts'
import { Person } from './actors/person.ts'
import { EventSocket } from './actors/socket.ts'
import { ChannelOwner } from './actors/channel-owner.ts'
import { WebhookReceiver } from './actors/webhook-receiver.ts'
import { Client, type Answer } from './client.ts'
import type { History } from './history.ts'
import type { OperationArgs, OperationName } from './operations.ts'
import type { Random } from './random.ts'

const PEOPLE = 40
const CHANNELS = ['Harbor', 'Orchard', 'Printing house']
const PASSWORD = 'correct horse battery staple'
/** Rooms of every channel in addition to those it begins with. */
const ROOMS = [
  { name: 'quay', type: 'text' },
  { name: 'workshop', type: 'text' },
  { name: 'captains', type: 'text', private: true },
  { name: 'bridge', type: 'voice' },
  { name: 'lantern', type: 'stream' },
]
/** How each bot hears of events, and whether it heeds its quota. `lifted`: an administrator raised it. */
const BOTS = [
  { name: 'Anchor', hears: 'stream', quota: 'heeded' },
  { name: 'Beacon', hears: 'stream', quota: 'lifted' },
  { name: 'Capstan', hears: 'stream', quota: 'exceeded' },
  { name: 'Davit', hears: 'webhook', quota: 'lifted' },
  { name: 'Ensign', hears: 'webhook', quota: 'heeded' },
] as const
const LIFTED = { requests: 100_000, writes: 100_000 }

export interface CommunityOptions {
  readonly history: History
  readonly random: Random
  readonly url: string
  readonly setUpCode: string
  readonly certificate: { readonly key: string; readonly cert: string }
}

/** People, channels and bots, founded through the public interfaces. */
export class Community {
  readonly people: Person[] = []
  readonly bots: Bot[] = []
  readonly channelOwners: ChannelOwner[] = []
  readonly owners: Client[] = []
  readonly receivers: WebhookReceiver[] = []
  readonly sockets: EventSocket[] = []
  readonly locks = new ChannelLocks()
  readonly channels: string[] = []
  /** Everything that must not be in a log. */
  readonly secrets = new Set<string>([PASSWORD])
  readonly #options: CommunityOptions

  constructor(options: CommunityOptions) {
    this.#options = options
  }

  async found(): Promise<void> {
    const { random, setUpCode } = this.#options
    const administrator = this.#client({ name: 'Operator', id: '', kind: 'person' })
    await must(administrator, 'setUp', { code: setUpCode, name: 'Operator', password: PASSWORD })
    const clients: Client[] = []
    while (clients.length < PEOPLE) clients.push(await this.#signUp(`Sailor ${clients.length + 1}`))
    this.owners.push(...clients.slice(0, CHANNELS.length))
    for (const [position, name] of CHANNELS.entries()) await this.#foundChannel(name, position)
    const memberships = clients.map((client, position) => {
      // Everyone is in one or two channels; owners are in their own.
      const at = this.channels.filter((_, index) => index === position % CHANNELS.length || random.chance(0.4))
      return { client, at }
    })
    for (const { client, at } of memberships) {
      for (const channelId of at) {
        if (this.#ownerOf(channelId) !== client) await must(client, 'join', { channelId })
      }
    }
    const owned: { id: string; applicationId: string }[] = []
    for (const bot of BOTS) owned.push(await this.#foundBot(bot, administrator))
    for (const { client, at } of memberships) {
      const options = { client, random: random.of(client.actor.name), locks: this.locks, channels: at }
      this.people.push(new Person(options))
    }
    for (const channelId of this.channels) {
      this.channelOwners.push(
        new ChannelOwner({
          client: this.#ownerOf(channelId),
          random: random.of(`owner of ${channelId}`),
          locks: this.locks,
          channelId,
          people: clients.map(({ actor }) => actor.id),
          bots: owned,
        }),
      )
    }
  }

  /** Everyone opens the portal; the bots connect. */
  connect(): void {
    const { history, url } = this.#options
    for (const person of this.people) {
      const { actor } = person.client
      this.sockets.push(
        new EventSocket({
          history,
          url,
          actor,
          receiver: `${actor.name}’s portal`,
          as: { cookie: () => person.client.credentials },
          onEvent: (envelope) => person.onEvent(envelope),
        }),
      )
    }
    for (const bot of this.bots) {
      const { actor } = bot.client
      if (BOTS.find(({ name }) => name === actor.name)?.hears !== 'stream') continue
      const token = async (): Promise<string> => {
        const answer = await bot.client.call('getEventToken', {})
        if (answer?.status !== 200) throw new Error(`no token: ${answer?.status ?? 'no answer'}`)
        return (answer.body as { token: string }).token
      }
      const onEvent = bot.onEvent.bind(bot)
      this.sockets.push(
        new EventSocket({ history, url, actor, receiver: `${actor.name}’s stream`, as: { token }, onEvent }),
      )
    }
  }

  /** Some close the portal. */
  close(matches: (id: string) => boolean): void {
    for (const socket of this.sockets) if (matches(socket.actor.id)) socket.close()
  }

  disconnect(): void {
    this.close(() => true)
    for (const { client } of [...this.people, ...this.bots]) client.close()
  }

  #ownerOf(channelId: string): Client {
    const owner = this.owners[this.channels.indexOf(channelId)]
    if (!owner) throw new Error(`nobody owns ${channelId}`)
    return owner
  }

  #client(actor: { name: string; id: string; kind: 'person' | 'bot' }, credentials = ''): Client {
    const { history, url } = this.#options
    return new Client(actor, { history, base: () => url }, credentials)
  }

  async #signUp(name: string): Promise<Client> {
    const actor = { name, id: '', kind: 'person' as const }
    const client = this.#client(actor)
    const { body } = await must(client, 'signUp', { name, password: PASSWORD })
    actor.id = (body as { account: { id: string } }).account.id
    return client
  }

  async #foundChannel(name: string, position: number): Promise<void> {
    const owner = this.owners[position]
    if (!owner) return
    const { body } = await must(owner, 'createChannel', { name, open: true })
    const channelId = (body as OwnChannel).id
    this.channels.push(channelId)
    for (const room of ROOMS) await must(owner, 'createRoom', { channelId, ...room })
    await must(owner, 'listRooms', { channelId })
    await must(owner, 'listRoles', { channelId })
  }

  async #foundBot(
    { name, hears, quota }: (typeof BOTS)[number],
    administrator: Client,
  ): Promise<{ id: string; applicationId: string }> {
    const { history, random, certificate } = this.#options
    const maker = this.owners[0]
    if (!maker) throw new Error('nobody can make a bot')
    const { body } = await must(maker, 'createApplication', { name })
    const { id: applicationId, bot } = body as Application
    if (quota === 'lifted') await must(administrator, 'setLimits', { applicationId, ...LIFTED })
    const issued = await must(maker, 'issueKey', { applicationId, scopes: Object.keys(SCOPES) })
    const { key } = issued.body as { key: string }
    this.secrets.add(key)
    for (const [position, channelId] of this.channels.entries()) {
      const owner = this.owners[position]
      if (owner) await must(owner, 'install', { channelId, applicationId })
    }
    const actor = { name, id: bot.id, kind: 'bot' as const }
    const client = this.#client(actor, key)
    client.isObedient = quota === 'heeded'
    const options = { client, random: random.of(name), applicationId, channels: this.channels }
    const made = new Bot(options)
    this.bots.push(made)
    if (hears === 'webhook') {
      const receiver = await WebhookReceiver.start({ history, random: random.of(`${name}’s webhook`), certificate })
      this.receivers.push(receiver)
      receiver.serve(actor)
      receiver.onEvent = made.onEvent.bind(made)
      const set = await must(client, 'setWebhook', { url: receiver.url })
      receiver.secret = (set.body as { secret: string }).secret
      this.secrets.add(receiver.secret)
    }
    return { id: bot.id, applicationId }
  }
}

/** For the founding, in which nothing may go wrong. */
async function must<Name extends OperationName>(
  client: Client,
  name: Name,
  args: OperationArgs<Name>,
): Promise<Answer> {
  const answer = await client.call(name, args)
  if (answer && answer.status < 300) return answer
  throw new Error(`${client.actor.name} could not ${name}: ${JSON.stringify(answer)}`)
}

/** A seed that nobody chose. */
export function randomSeed(): string {
  return randomBytes(4).toString('hex')
}
