import type { Message, Room } from '@portico/contract'
import { Bot } from './bot.ts'
import { Person, type Answer } from './person.ts'
import type { TestServer } from './start-server.ts'
import { expectOk, portal, channelFixture } from './channel-fixture.ts'

/** The answers by the name of the request. */
export type Answers = Record<string, object>

/** So far apart that the quota of writes is the nearer one however often a slow machine has to ask. */
export const QUOTAS = { requests: 100_000, writes: 50_000 }

export type AccessFixture = Awaited<ReturnType<typeof accessFixture>>

/**
 * A channel in which every change of access shows in the answers to a bot and a person: the bot has a custom role besides
 * its default role, ranks just above Bob, is admitted to a private room, and belongs to someone who
 * is not on the channel.
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
  const asking = { bot, ada, bob, at, channel, rooms, messageId }
  const ask = async (from: TestServer): Promise<Answers> => {
    const { quiet, loud } = questionsTo(from, asking)
    return { ...(await answersTo(quiet)), ...(await answersTo(loud)) }
  }
  const warm = async (from: TestServer): Promise<void> => {
    await answersTo(questionsTo(from, asking).quiet)
  }
  return { ...made, ...asking, administrator, maker, application, helper, guest, rank, admit, ask, warm }
}

interface Asking {
  readonly bot: Bot
  readonly ada: Person
  readonly bob: Person
  readonly at: string
  readonly channel: { readonly id: string }
  readonly rooms: Readonly<Record<'text' | 'hidden' | 'voice', Room>>
  readonly messageId: string
}

type Questions = Record<string, () => Promise<Answer>>

/**
 * What a bot asks by its key, and Ada in the portal. Questions that change what others are decided by are loud: they
 * would make a process forget before the others are answered.
 */
function questionsTo(from: TestServer, { bot, ada, bob, at, channel, rooms, messageId }: Asking) {
  const program = new Bot(from, ada, bot.application)
  program.key = bot.key
  const browser = new Person(from)
  const inPortal = (method: string, path: string, body?: object) =>
    browser.request(method, path, body, { cookie: ada.cookie })
  const channelId = channel.id
  const [text, hidden, voice] = [rooms.text, rooms.hidden, rooms.voice].map(({ id }) => `/rooms/${id}`)
  const message = `${text}/messages/${messageId}`
  const page = `?channelId=${channelId}&limit=100`

  const quiet: Questions = {
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
    'person: permissions': () => inPortal('GET', `${at}/standing`),
    'person: send': () => inPortal('POST', `${text}/messages`, { channelId, text: 'By hand' }),
    'person: send in private': () => inPortal('POST', `${hidden}/messages`, { channelId, text: 'Psst' }),
    'person: history': () => onlyOf(messageId, inPortal('GET', `${text}/messages${page}`)),
    'person: voice': () => inPortal('POST', `${voice}/voice`, { channelId }),
  }
  const loud: Questions = {
    'mute Bob': () => program.put(`${at}/members/${bob.id}/chat-mute`, { durationSec: 3600 }),
  }
  return { quiet, loud }
}

/** All of them at one moment. */
async function answersTo(questions: Questions): Promise<Answers> {
  const asked = Object.entries(questions).map(async ([name, ask]) => [name, comparable(await ask())] as const)
  return Object.fromEntries(await Promise.all(asked))
}

/** The questions that are answered differently. */
export function changed(before: Answers, after: Answers): string[] {
  return Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}

/** Questions that are asked at one moment write into the same room: only the message that was there is looked at. */
async function onlyOf(messageId: string, asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked
  const { messages } = answer.body as { messages?: Message[] }
  return messages ? { ...answer, body: messages.filter(({ id }) => id === messageId) } : answer
}

function comparable({ status, body, headers }: Answer): object {
  return { status, limit: headers.get('x-ratelimit-limit'), body: JSON.parse(JSON.stringify(body ?? null, stable)) }
}

/** New with every asking, or the work of the question beside it. */
const PASSING = new Set(['createdAt', 'editedAt', 'pinnedAt', 'mutedUntil', 'token', 'users', 'reactions', 'seq'])

function stable(name: string, value: unknown): unknown {
  if (PASSING.has(name)) return undefined
  if (typeof value !== 'object' || value === null || !('createdAt' in value && 'text' in value)) return value
  return { ...value, id: undefined }
}
