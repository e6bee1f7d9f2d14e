import type { Right, RoleColor, RoomRight, RoomType } from '@portico/contract'
import type { BotKey } from './bots.ts'
import type { PersonKey } from './people.ts'

export interface DemoChannel {
  readonly name: string
  readonly description: string
  readonly open: boolean
  readonly owner: PersonKey
  readonly members: readonly PersonKey[]
  readonly administrators?: readonly PersonKey[]
  readonly moderators?: readonly PersonKey[]
  readonly nicknames: Partial<Readonly<Record<PersonKey, string>>>
  readonly role: {
    readonly name: string
    readonly color: RoleColor
    readonly rights: readonly Right[]
    readonly members: readonly PersonKey[]
  }
  readonly bots: Partial<Readonly<Record<BotKey, 'CHANNEL_BOT' | 'CHANNEL_MODERATOR' | 'own role'>>>
  /** Rooms in display order. The first text and the first voice room are the default ones. */
  readonly categories: readonly { readonly name: string; readonly rooms: readonly DemoRoom[] }[]
}

export interface DemoRoom {
  readonly name: string
  readonly type: RoomType
  readonly topic?: string
  readonly private?: true
  readonly admitted?: readonly PersonKey[]
  readonly writeRestricted?: true
  readonly userLimit?: number
  /** Additional rights of the custom role in this room. */
  readonly allowRole?: readonly RoomRight[]
  /** The file with the room's messages, below `conversations`. */
  readonly conversation?: string
}

export const CHANNELS: readonly DemoChannel[] = [
  {
    name: 'Ateliers',
    description: 'A small workshop that builds Tramline, the departure board in your pocket',
    open: true,
    owner: 'ada',
    members: ['boris', 'chen', 'emil', 'hana', 'darya', 'gosha'],
    administrators: ['emil'],
    moderators: ['hana'],
    nicknames: { ada: 'Ada', emil: 'Emil (ops)', darya: 'Darya' },
    role: { name: 'Release crew', color: 'teal', rights: ['pin_text_msg'], members: ['boris', 'chen'] },
    bots: { shipyard: 'CHANNEL_MODERATOR', almanac: 'CHANNEL_BOT' },
    categories: [
      {
        name: 'Information',
        rooms: [
          {
            name: 'welcome',
            type: 'text',
            topic: 'Start here',
            writeRestricted: true,
            conversation: 'ateliers/welcome',
          },
          {
            name: 'announcements',
            type: 'text',
            topic: 'Releases and outages, nothing else',
            writeRestricted: true,
            allowRole: ['write_text_room'],
            conversation: 'ateliers/announcements',
          },
        ],
      },
      {
        name: 'Work',
        rooms: [
          { name: 'general', type: 'text', topic: 'Day-to-day talk of the workshop', conversation: 'ateliers/general' },
          {
            name: 'engineering',
            type: 'text',
            topic: 'Code, reviews, war stories',
            conversation: 'ateliers/engineering',
          },
          { name: 'design', type: 'text', topic: 'Boards, type, colors', conversation: 'ateliers/design' },
          { name: 'bot-yard', type: 'text', topic: 'Try the bots here', conversation: 'ateliers/bot-yard' },
          { name: 'leads', type: 'text', private: true, admitted: ['emil', 'hana'], conversation: 'ateliers/leads' },
          { name: 'Stand-up', type: 'voice', userLimit: 12 },
        ],
      },
      {
        name: 'Off hours',
        rooms: [
          { name: 'kitchen', type: 'text', topic: 'Coffee, cats and crosswords', conversation: 'ateliers/kitchen' },
          { name: 'Lounge', type: 'voice' },
          { name: 'Demo day', type: 'stream', topic: 'Every second Thursday', allowRole: ['start_broadcast'] },
        ],
      },
    ],
  },
  {
    name: 'Тёмное небо',
    description: 'Клуб любителей астрономии: наблюдаем, чиним монтировки, пьём чай у костра',
    open: false,
    owner: 'darya',
    members: ['gosha', 'marina', 'emil', 'ada'],
    moderators: ['marina'],
    nicknames: { darya: 'Даша', gosha: 'Гоша 🔭', emil: 'Эмиль', ada: 'Ада' },
    role: { name: 'Наблюдатели', color: 'indigo', rights: ['pin_text_msg'], members: ['gosha'] },
    bots: { almanac: 'own role' },
    categories: [
      {
        name: 'Клуб',
        rooms: [
          {
            name: 'правила',
            type: 'text',
            topic: 'Три строчки, честно',
            writeRestricted: true,
            conversation: 'dark-sky/rules',
          },
          {
            name: 'анонсы',
            type: 'text',
            topic: 'Выезды и события',
            writeRestricted: true,
            allowRole: ['write_text_room'],
            conversation: 'dark-sky/events',
          },
          { name: 'общий', type: 'text', topic: 'Обо всём под звёздами', conversation: 'dark-sky/general' },
          { name: 'совет', type: 'text', private: true, admitted: ['marina'], conversation: 'dark-sky/council' },
        ],
      },
      {
        name: 'Наблюдения',
        rooms: [
          { name: 'журнал', type: 'text', topic: 'Что, где, в какой прибор', conversation: 'dark-sky/journal' },
          { name: 'техника', type: 'text', topic: 'Трубы, монтировки, прошивки', conversation: 'dark-sky/gear' },
          { name: 'Прямой эфир', type: 'stream', topic: 'Картинка с телескопа', allowRole: ['start_broadcast'] },
        ],
      },
      {
        name: 'Голос',
        rooms: [
          { name: 'У костра', type: 'voice' },
          { name: 'Мастерская', type: 'voice', userLimit: 6 },
        ],
      },
    ],
  },
]
