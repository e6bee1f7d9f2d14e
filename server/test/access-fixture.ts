import { ERRORS, type Message, type Room } from '@portico/contract'
import { Bot } from './bot.ts'
import { Person, type Answer } from './person.ts'
import type { TestServer } from './start-server.ts'
import { expectOk, portal, channelFixture } from './channel-fixture.ts'

/** Responses by the name of the request. */
export type Answers = Record<string, object>

/** High enough for a slow machine that has to repeat requests, and far enough apart that the write quota is the tighter one. */
export const QUOTAS = { requests: 100_000, writes: 50_000 }

export type AccessFixture = Awaited<ReturnType<typeof accessFixture>>

/**
 * A channel in which every change of permissions is visible in the responses to a bot and a person: the bot has a custom
 * role in addition to its default role, ranks just above Bob, is admitted to a private room, and belongs to someone who is
 * not in the channel.
 */
export async function accessFixture() {
  const made = await channelFixture({ people: 2 })
  const { server, owner, channel, room, newRoom, newRole, give, install, at } = made
  const [ada, bob] = made.people
  const { administrator } = await portal()
  const maker = await made.newPerson()
  const bot = await Bot.of(server, maker, 'Clerk')
  const application = `/applications/${bot.application.id}`
  expectOk(await administrator.put(`${application}/limits`, QUOTAS))
  await install(bot)

  const helper = await newRole('Helper', ['pin_text_msg', 'mute_chat_member'])
  const guest = await newRole('Guest', ['read_text_room'])
  const rank = (...roles: { readonly id: string }[]) =>
    owner.put(`${at}/roles/order`, { roleIds: roles.map(({ id }) => id) })
  expectOk(await rank(helper, guest))
  await give(bot, 'CHANNEL_BOT', helper)
  await give(bob, 'CHANNEL_MEMBER', guest)

  const rooms = { text: room, hidden: await newRoom('text', { private: true }), voice: await newRoom('voice') }
  const admit = (roleIds: readonly string[], memberIds: readonly string[]) =>
    owner.put(`${at}/rooms/${rooms.hidden.id}/admissions`, { roleIds, memberIds })
  expectOk(await admit([], [bot.id, ada.id]))
  const { id: messageId } = expectOk(
    await bot.post<Message>(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Of the bot' }),
  )
  const callers = { bot, ada, bob, at, channel, rooms, messageId }
  const sendAll = async (to: TestServer): Promise<Answers> => {
    const { neutral, invalidating } = requestsTo(to, callers)
    return { ...(await answersTo(neutral)), ...(await answersTo(invalidating)) }
  }
  const fillCache = async (of: TestServer): Promise<void> => {
    await answersTo(requestsTo(of, callers).neutral)
  }
  return { ...made, ...callers, administrator, maker, application, helper, guest, rank, admit, sendAll, fillCache }
}

interface Callers {
  readonly bot: Bot
  readonly ada: Person
  readonly bob: Person
  readonly at: string
  readonly channel: { readonly id: string }
  readonly rooms: Readonly<Record<'text' | 'hidden' | 'voice', Room>>
  readonly messageId: string
}

type Requests = Record<string, () => Promise<Answer>>

/**
 * Requests of the bot with its key, and of Ada in the portal. Those that change permissions are separate: they would empty
 * the access cache while the others are running.
 */
function requestsTo(server: TestServer, { bot, ada, bob, at, channel, rooms, messageId }: Callers) {
  const program = new Bot(server, ada, bot.application)
  program.key = bot.key
  const browser = new Person(server)
  const inPortal = (method: string, path: string, body?: object) =>
    browser.request(method, path, body, { cookie: ada.cookie })
  const channelId = channel.id
  const [text, hidden, voice] = [rooms.text, rooms.hidden, rooms.voice].map(({ id }) => `/rooms/${id}`)
  const message = `${text}/messages/${messageId}`
  const page = `?channelId=${channelId}&limit=100`

  const neutral: Requests = {
    me: () => program.get('/me'),
    channel: () => program.get(at),
    rooms: () => program.get(`${at}/rooms`),
    members: () => program.get(`${at}/members`),
    send: () => program.post(`${text}/messages`, { channelId, text: 'Once more' }),
    'send in private': () => program.post(`${hidden}/messages`, { channelId, text: 'Between us' }),
    history: () => onlyOf(messageId, program.get(`${text}/messages${page}`)),
    'history of the private room': () => onlyOf(messageId, program.get(`${hidden}/messages${page}`)),
    edit: () => program.patch(message, { channelId, text: 'Of the bot' }),
    react: () => program.post(`${message}/reactions`, { channelId, emoji: '👍' }),
    pin: () => program.post(`${message}/pin`, { channelId }),
    voice: () => program.post(`${voice}/voice`, { channelId }),
    commands: () => program.get('/commands'),
    'events token': () => program.get('/events/token'),
    'person: channel': () => inPortal('GET', at),
    'person: rooms': () => inPortal('GET', `${at}/rooms`),
    'person: permissions': () => inPortal('GET', `${at}/permissions`),
    'person: send': () => inPortal('POST', `${text}/messages`, { channelId, text: 'By hand' }),
    'person: send in private': () => inPortal('POST', `${hidden}/messages`, { channelId, text: 'Psst' }),
    'person: history': () => onlyOf(messageId, inPortal('GET', `${text}/messages${page}`)),
    'person: voice': () => inPortal('POST', `${voice}/voice`, { channelId }),
  }
  const invalidating: Requests = {
    'mute Bob': () => program.put(`${at}/members/${bob.id}/chat-mute`, { durationSec: 3600 }),
  }
  return { neutral, invalidating }
}

/** Sends all requests concurrently. */
async function answersTo(requests: Requests): Promise<Answers> {
  const sent = Object.entries(requests).map(async ([name, send]) => [name, comparable(await inTime(send))] as const)
  return Object.fromEntries(await Promise.all(sent))
}

/** Repeats a request that a busy machine didn’t finish before its deadline: nothing of it was carried out. */
async function inTime(send: () => Promise<Answer>): Promise<Answer> {
  const answer = await send()
  return answer.status === ERRORS.timeout.status ? inTime(send) : answer
}

/** The names of the requests whose responses differ. */
export function changed(before: Answers, after: Answers): string[] {
  return Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}

/** Concurrent requests write to the same room, so only the message from before is compared. */
async function onlyOf(messageId: string, sent: Promise<Answer>): Promise<Answer> {
  const answer = await sent
  const { messages } = answer.body as { messages?: Message[] }
  return messages ? { ...answer, body: messages.filter(({ id }) => id === messageId) } : answer
}

function comparable({ status, body, headers }: Answer): object {
  return { status, limit: headers.get('x-ratelimit-limit'), body: JSON.parse(JSON.stringify(body ?? null, stable)) }
}

/** Fields that are new in every response, or that concurrent requests change. */
const VOLATILE = new Set(['createdAt', 'editedAt', 'pinnedAt', 'mutedUntil', 'token', 'users', 'reactions', 'seq'])

function stable(name: string, value: unknown): unknown {
  if (VOLATILE.has(name)) return undefined
  if (typeof value !== 'object' || value === null || !('createdAt' in value && 'text' in value)) return value
  return { ...value, id: undefined }
}
