import type { OAuthState } from '@portico/contract'
import { freePort } from '../../server/test/free-port.ts'
import { ApplicationOwner } from '../actors/application-owner.ts'
import { Bot } from '../actors/bot.ts'
import { ChannelLocks } from '../actors/channel-locks.ts'
import { ChannelOwner } from '../actors/channel-owner.ts'
import { ManagedStreamBot } from '../actors/managed-bot.ts'
import { Person } from '../actors/person.ts'
import { PushService } from '../actors/push-service.ts'
import { RawBot, type KnownRoom } from '../actors/raw-bot.ts'
import { SdkBot } from '../actors/sdk-bot.ts'
import { SecondDevice } from '../actors/second-device.ts'
import { EventSocket } from '../actors/socket.ts'
import { TightWriters } from '../actors/tight-writers.ts'
import { VoiceVisits } from '../actors/voice-visits.ts'
import { WebhookReceiver } from '../actors/webhook-receiver.ts'
import { Website } from '../actors/website.ts'
import { Client } from '../actors/client.ts'
import { foundApplication } from '../founding/found-application.ts'
import { foundChannel, settleChannel } from '../founding/found-channel.ts'
import { must } from '../founding/must.ts'
import { ReplacedBot } from '../founding/replaced-bot.ts'
import { WITH_PRESSES } from '../history/event-kinds.ts'
import type { Actor, History } from '../history/history.ts'
import type { Random } from '../random/random.ts'
import * as roster from '../founding/roster.ts'

const { PASSWORD } = roster

export interface CommunityOptions {
  readonly history: History
  readonly random: Random
  readonly url: string
  readonly setUpCode: string
  readonly certificate: { readonly key: string; readonly cert: string }
  /** For what the processes of bots store. */
  readonly folder: string
  /** The folder of the source code that is tested, with the SDK. */
  readonly checkout: string
}

/** Something that acts again and again. */
export interface ActingOne {
  readonly name: string
  readonly pause: roster.Pause
  step(): Promise<void>
}

/** People, channels, bots and websites, founded through the public interfaces. */
export class Community {
  readonly people: Person[] = []
  /** Those that act by plain HTTP, whatever brings their events. */
  readonly bots: Bot[] = []
  readonly owners: Client[] = []
  readonly receivers: WebhookReceiver[] = []
  readonly sockets: EventSocket[] = []
  readonly devices: SecondDevice[] = []
  readonly locks = new ChannelLocks()
  readonly channels: string[] = []
  /** Everyone who acts while the run lasts. */
  readonly actors: ActingOne[] = []
  /** Everything that must not be in a log. */
  readonly secrets = new Set<string>([PASSWORD])
  readonly #options: CommunityOptions
  readonly #clients: Client[] = []
  readonly #applications: { id: string; applicationId: string }[] = []
  #replaced: ReplacedBot | undefined
  readonly #connecting: (() => void)[] = []
  readonly #ending: (() => Promise<void> | void)[] = []
  readonly #calming: (() => Promise<void> | void)[] = []
  #rooms: KnownRoom[] = []

  constructor(options: CommunityOptions) {
    this.#options = options
  }

  async found(): Promise<void> {
    const { random, setUpCode } = this.#options
    const administrator = this.#client({ name: 'Operator', id: '', kind: 'person' })
    await must(administrator, 'setUp', { code: setUpCode, name: 'Operator', password: PASSWORD })
    while (this.#clients.length < roster.PEOPLE) {
      this.#clients.push(await this.#signUp(`Sailor ${this.#clients.length + 1}`))
    }
    const memberships = await this.#foundChannels()
    for (const [position, client] of this.#clients.entries())
      this.#addPerson(client, position, memberships[position] ?? [])
    for (const bot of roster.BOTS) await this.#foundBot(bot, administrator)
    await this.#foundReplacedBot(administrator)
    await this.#foundWebsites()
    await this.#foundDevices()
    await this.#foundPush()
    await this.#addOwners()
    await this.#addTightWriters(random)
  }

  /** Everyone who may be in a voice room. */
  get voices(): Client[] {
    const replaced = this.#replaced?.current
    return [...this.people, ...this.bots, ...(replaced ? [replaced] : [])].map(({ client }) => client)
  }

  /** Everyone opens the portal; the bots connect. */
  connect(): void {
    for (const connect of this.#connecting) connect()
  }

  /** Nobody acts anymore: what was taken away for a while is given back, and everyone leaves the voice rooms. */
  async calm(): Promise<void> {
    for (const receiver of this.receivers) receiver.calm()
    for (const calm of this.#calming) await calm()
    for (const one of [...this.people, ...this.bots]) one.hangUp()
  }

  /** Some close the portal. */
  close(matches: (id: string) => boolean): void {
    for (const socket of this.sockets) if (matches(socket.actor.id)) socket.close()
    for (const device of this.devices) if (matches(device.id)) device.close()
  }

  async disconnect(): Promise<void> {
    this.close(() => true)
    for (const end of this.#ending.splice(0)) await end()
    for (const { client } of [...this.people, ...this.bots, ...this.devices]) client.close()
  }

  async #foundChannels(): Promise<string[][]> {
    const { random } = this.#options
    const { CHANNELS, TIGHT_CHANNEL } = roster
    for (const [position, name] of [...CHANNELS, TIGHT_CHANNEL].entries()) {
      const owner = this.#person(position)
      this.owners.push(owner)
      this.channels.push(await foundChannel(owner, name))
    }
    const memberships = this.#clients.map((client, position) => {
      // Everyone is in one or two channels; owners are in their own.
      const some = new Set(
        this.channels.filter((_, index) => index === position % CHANNELS.length || random.chance(0.4)),
      )
      return this.channels.filter((channelId, index) =>
        index < CHANNELS.length
          ? some.has(channelId) || this.#ownerOf(channelId) === client
          : roster.isInTightChannel(position),
      )
    })
    for (const [position, channelId] of this.channels.entries()) {
      const owner = this.#ownerOf(channelId)
      const members = this.#clients.filter((_, position) => memberships[position]?.includes(channelId))
      for (const member of members) if (member !== owner) await must(member, 'join', { channelId })
      await settleChannel({ owner, channelId, members, random: random.of(`old times of channel ${position}`) })
      this.#rooms.push(...(await this.#roomsOf(channelId)))
    }
    return memberships
  }

  #addPerson(client: Client, position: number, channels: readonly string[]): void {
    const { history, url, random } = this.#options
    const { actor } = client
    const own = random.of(actor.name)
    const voice = new VoiceVisits({ client, random: own.of('voice'), history, url })
    const person = new Person({ client, random: own, locks: this.locks, channels, voice })
    this.people.push(person)
    this.#act(actor.name, roster.PAUSES.person, person)
    this.#connecting.push(() => {
      const socket = new EventSocket({
        history,
        url,
        actor,
        receiver: `${actor.name}’s portal`,
        as: { cookie: () => client.credentials },
        onEvent: (envelope) => person.onEvent(envelope),
      })
      this.sockets.push(socket)
      person.onOpened = (place) => socket.show(place)
    })
  }

  async #foundBot({ name, by, quota }: roster.BotEntry, administrator: Client): Promise<void> {
    const { history, random, url } = this.#options
    const { applicationId, client } = await foundApplication({
      name,
      maker: this.#person(0),
      administrator,
      limits: roster.LIMITS[quota],
      clientOf: (actor, credentials) => this.#client(actor, credentials),
      secrets: this.secrets,
    })
    client.isObedient = quota === 'kept'
    const patience = random.of(`patience of ${name}`)
    if (quota === 'exceeded') client.isPatient = () => patience.chance(roster.PATIENCE)
    const channels = this.channels.filter((_, at) => at < roster.CHANNELS.length || name === roster.TIGHT_BOT)
    for (const channelId of channels) await must(this.#ownerOf(channelId), 'install', { channelId, applicationId })
    this.#applications.push({ id: client.actor.id, applicationId })
    if (by === 'sdk stream' || by === 'sdk webhook') {
      await this.#addSdkBot(client, by === 'sdk webhook')
      return
    }
    const own = random.of(name)
    const voice = new VoiceVisits({ client, random: own.of('voice'), history, url })
    const bot = new Bot({ client, random: own, applicationId, channels, voice })
    this.bots.push(bot)
    if (by === 'raw stream') this.#addRawBot(bot)
    else this.#act(name, roster.PAUSES[by.startsWith('managed') ? 'eagerBot' : 'bot'], bot)
    if (by === 'centrifuge') this.#addStream(bot)
    if (by === 'webhook' || by === 'managed webhook') await this.#addWebhook(bot)
    if (by === 'managed stream' || by === 'managed webhook') await this.#addApplicationOwner(bot, by, administrator)
  }

  #addStream(bot: Bot): void {
    const { history, url } = this.#options
    const { actor } = bot.client
    const token = async (): Promise<string> => {
      const answer = await bot.client.call('getEventToken', { kinds: WITH_PRESSES })
      if (answer?.status !== 200) throw new Error(`no token: ${answer?.status ?? 'no answer'}`)
      return (answer.body as { token: string }).token
    }
    const onEvent = bot.onEvent.bind(bot)
    const receiver = `${actor.name}’s stream`
    this.#connecting.push(() =>
      this.sockets.push(new EventSocket({ history, url, actor, receiver, as: { token }, onEvent })),
    )
  }

  async #addWebhook(bot: Bot): Promise<void> {
    const { history, random, certificate } = this.#options
    const { actor } = bot.client
    const receiver = await WebhookReceiver.start({ history, random: random.of(`${actor.name}’s webhook`), certificate })
    this.receivers.push(receiver)
    receiver.serve(actor)
    receiver.onEvent = bot.onEvent.bind(bot)
    const set = await must(bot.client, 'setWebhook', { url: receiver.url, kinds: WITH_PRESSES })
    receiver.secret = (set.body as { secret: string }).secret
    this.secrets.add(receiver.secret)
  }

  async #addSdkBot(client: Client, hasWebhook: boolean): Promise<void> {
    const { history, random, url, folder, checkout, certificate } = this.#options
    const { actor, credentials: key } = client
    const settings = { url, key, folder, checkout }
    let webhook
    if (hasWebhook) {
      const port = await freePort()
      const set = await must(client, 'setWebhook', { url: `https://127.0.0.1:${port}/events` })
      const { secret } = set.body as { secret: string }
      this.secrets.add(secret)
      webhook = { port, key: certificate.key, cert: certificate.cert, secret }
    }
    const bot = new SdkBot({
      actor,
      history,
      random: random.of(actor.name),
      settings: { ...settings, ...(webhook && { webhook }) },
      mayCrash: !hasWebhook,
    })
    client.close()
    this.#act(actor.name, roster.PAUSES.sdkBot, bot)
    this.#connecting.push(() => bot.start())
    this.#ending.push(() => bot.stop())
  }

  #addRawBot(bot: Bot): void {
    const { history, random, url } = this.#options
    const { actor } = bot.client
    const raw = new RawBot({ bot, history, random: random.of(`${actor.name} raw`), url, rooms: () => this.#rooms })
    this.#act(actor.name, roster.PAUSES.eagerBot, raw)
    this.#connecting.push(() => raw.connect())
    this.#ending.push(() => raw.disconnect())
  }

  async #addApplicationOwner(bot: Bot, by: 'managed stream' | 'managed webhook', administrator: Client): Promise<void> {
    const { history, random, url } = this.#options
    const { actor } = bot.client
    const own = random.of(`owner of ${actor.name}`)
    const stream =
      by === 'managed stream' ? new ManagedStreamBot({ bot, history, random: own.of('stream'), url }) : undefined
    const { client, applicationId } = bot
    const managed = stream ?? { client, applicationId, onKey: () => undefined }
    const owner = new ApplicationOwner({
      client: this.#person(0),
      administrator,
      random: own,
      bot: managed,
      secrets: this.secrets,
    })
    this.#act(`owner of ${actor.name}`, roster.PAUSES.applicationOwner, owner)
    this.#calming.push(() => owner.restore())
    if (!stream) return
    this.#connecting.push(() => stream.onKey(client.credentials, ['events']))
    this.#ending.push(() => stream.disconnect())
  }

  async #foundReplacedBot(administrator: Client): Promise<void> {
    const { history, random, url } = this.#options
    const [channelId = ''] = this.channels
    const own = random.of(roster.REPLACED_BOT)
    const replaced = new ReplacedBot({
      maker: this.#person(1),
      owner: this.#ownerOf(channelId),
      channelId,
      locks: this.locks,
      history,
      random: own,
      url,
      clientOf: (actor, credentials) => this.#client(actor, credentials),
      secrets: this.secrets,
    })
    this.#replaced = replaced
    this.#connecting.push(() => void replaced.create())
    this.#act(roster.REPLACED_BOT, roster.PAUSES.eagerBot, replaced)
    const step = async (): Promise<void> => {
      const bot = replaced.current
      if (!bot || own.chance(0.4)) await replaced.replace()
      else {
        const limits = own.chance(0.5) ? roster.LIFTED : { requests: 60, writes: 20 }
        await administrator.call('setLimits', { applicationId: bot.applicationId, ...limits })
      }
    }
    this.#act(`owner of ${roster.REPLACED_BOT}`, roster.PAUSES.applicationOwner, { step })
    this.#calming.push(() => replaced.current?.bot.hangUp())
    this.#ending.push(() => replaced.current?.disconnect())
  }

  async #foundWebsites(): Promise<void> {
    const { random, url } = this.#options
    const owner = this.#person(2)
    for (const { name, redirectUri } of roster.WEBSITES) {
      const created = await must(owner, 'createApplication', { name })
      const { id: applicationId, bot } = created.body as { id: string; bot: { id: string } }
      const set = await must(owner, 'setOAuth', { applicationId, redirectUri })
      const { oauth, clientSecret } = set.body as { oauth: OAuthState; clientSecret: string }
      this.secrets.add(clientSecret)
      const client = this.#client({ name, id: bot.id, kind: 'website' })
      const website = new Website({
        client,
        owner,
        applicationId,
        clientId: oauth.clientId,
        clientSecret,
        redirectUri,
        people: this.people,
        random: random.of(name),
        url,
        secrets: this.secrets,
      })
      this.#act(name, roster.PAUSES.website, website)
      this.#ending.push(() => client.close())
    }
    // The first request loads the provider, which may take longer than a request may on a busy machine.
    while (!(await fetch(`${url}/.well-known/openid-configuration`)).ok);
  }

  async #foundDevices(): Promise<void> {
    const { history, random, url } = this.#options
    for (const [position, person] of this.people.entries()) {
      if (!roster.hasPhone(position)) continue
      const { actor } = person.client
      const own = random.of(`phone of ${actor.name}`)
      const client = this.#client(actor)
      const device = new SecondDevice({ person, client, password: PASSWORD, history, random: own, url })
      this.devices.push(device)
      this.#act(`phone of ${actor.name}`, roster.PAUSES.device, device)
    }
  }

  async #foundPush(): Promise<void> {
    const { history, random, certificate } = this.#options
    const service = await PushService.start({ history, random: random.of('push service'), certificate })
    for (const [position, { client }] of this.people.entries()) {
      if (!roster.wantsPush(position)) continue
      await must(client, 'setPushSubscription', service.subscribe(client.actor))
      const channelId = this.channels[position % roster.CHANNELS.length] ?? ''
      // Some want to know of every message.
      if (position % 2 === 0) await must(client, 'setNotifications', { channelId, level: 'all' })
    }
    this.#ending.push(() => service.close())
  }

  async #addOwners(): Promise<void> {
    const { random } = this.#options
    for (const [position, channelId] of this.channels.slice(0, roster.CHANNELS.length).entries()) {
      const client = this.#ownerOf(channelId)
      const owner = new ChannelOwner({
        client,
        random: random.of(`owner of channel ${position}`),
        locks: this.locks,
        channelId,
        people: this.#clients.map(({ actor }) => actor.id),
        bots: this.#applications,
      })
      this.#act(`owner of channel ${position}`, roster.PAUSES.channelOwner, owner)
    }
  }

  async #addTightWriters(random: Random): Promise<void> {
    const channelId = this.channels.at(-1) ?? ''
    const room = this.#rooms.find((one) => one.channelId === channelId && one.type === 'text' && !one.isPrivate)
    if (!room) return
    const bot = this.bots.find(({ client }) => client.actor.name === roster.TIGHT_BOT)
    const people = this.#clients.filter((_, position) => roster.isTightWriter(position))
    const writers = new TightWriters({
      clients: [...people, ...(bot ? [bot.client] : [])],
      random: random.of('tight writers'),
      place: { channelId, roomId: room.roomId },
    })
    this.#act('tight writers', roster.PAUSES.tightWriters, writers)
  }

  #act(name: string, pause: roster.Pause, actor: { step(): Promise<void> }): void {
    this.actors.push({ name, pause, step: () => actor.step() })
  }

  async #roomsOf(channelId: string): Promise<KnownRoom[]> {
    const { body } = await must(this.#ownerOf(channelId), 'listRooms', { channelId })
    const { rooms } = body as { rooms: { id: string; type: string; private?: boolean }[] }
    return rooms.map(({ id, type, private: isPrivate = false }) => ({ channelId, roomId: id, type, isPrivate }))
  }

  #ownerOf(channelId: string): Client {
    return this.#person(this.channels.indexOf(channelId))
  }

  #person(position: number): Client {
    const client = this.#clients[position]
    if (!client) throw new Error(`there is no person ${position}`)
    return client
  }

  #client(actor: Actor, credentials = ''): Client {
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
}
