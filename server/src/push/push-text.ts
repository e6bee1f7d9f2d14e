import type { NamedMember } from '@portico/contract'
import { withNames } from '@portico/contract/mentions'
import { stripMarkdown } from '@portico/contract/strip-markdown'
import type { NotificationReason, PersonToNotify } from '../notifications/people-to-notify.ts'
import type { ClaimedPush } from './claim-pushes.ts'

const MOST_TEXT = 200

type Title = (name: string, place: string) => string
type Titles = Readonly<Record<NotificationReason, Title>>

/** The text itself shows which group was mentioned. */
const plain: Title = (name, place) => `${name} · ${place}`

/** The same words as in the portal, which notifies by itself while it is open. */
const TITLES: Readonly<Record<ClaimedPush['locale'], Titles>> = {
  en: {
    mention: (name, place) => `${name} mentioned you · ${place}`,
    reply: (name, place) => `${name} replied to you · ${place}`,
    role: plain,
    everyone: plain,
    all: plain,
  },
  ru: {
    mention: (name, place) => `${name} упоминает вас · ${place}`,
    reply: (name, place) => `${name} отвечает вам · ${place}`,
    role: plain,
    everyone: plain,
    all: plain,
  },
}

/** The same mark as in the portal: a bot is always recognizable as one. */
const BOT_MARKS: Readonly<Record<ClaimedPush['locale'], string>> = { en: 'App', ru: 'Бот' }

/** What the service worker receives, see `portal/static/service-worker.js`. */
export interface PushText {
  readonly title: string
  readonly body: string
  readonly lang: string
  /** The message: a second push of it replaces the notification instead of adding another. */
  readonly tag: string
  readonly path: string
  readonly silent: boolean
  /** The number on the icon of the app: unread mentions. */
  readonly badge: number
}

/** What notifications show of a message: the same for everyone. */
export function pushBody(text: string, names: ReadonlyMap<string, NamedMember>): string {
  const plainText = stripMarkdown(withNames(text, (id) => nameOf(names.get(id))))
  return Array.from(plainText).slice(0, MOST_TEXT).join('')
}

export function pushText(push: ClaimedPush, { reason, sound }: PersonToNotify, body: string): PushText {
  const { channelId, roomId, messageId, locale } = push
  const author = push.authorIsBot ? `${push.authorName} (${BOT_MARKS[locale]})` : push.authorName
  return {
    title: TITLES[locale][reason](author, `#${push.roomName} · ${push.channelName}`),
    body,
    lang: locale,
    tag: messageId,
    path: `/c/${channelId}/${roomId}/${messageId}`,
    silent: !sound,
    // Replies and groups are not counted one by one.
    badge: reason === 'all' ? push.mentions : Math.max(push.mentions, 1),
  }
}

function nameOf(member: NamedMember | undefined): string | undefined {
  return member?.channelNickname ?? member?.name
}
