import type { ErrorCode } from './errors.ts'
import type { Reason } from './reasons.ts'

interface RefusalEntry {
  readonly code: ErrorCode
  /** A stable word for programs. The sentence beside it is for people and may be worded anew. */
  readonly reason?: Reason
  readonly field?: string
  readonly message: string
  /** When it is answered, for the API reference. */
  readonly when: string
}

/** Why a request of a bot whose form is right is refused by the thing that it is about. */
export const REFUSALS = {
  notInstalled: {
    code: 'forbidden',
    reason: 'not_a_member',
    message: 'The application is not installed on this channel.',
    when: 'The application is not installed on `channelId`, or there is no such channel',
  },
  privateAddress: {
    code: 'badRequest',
    field: 'url',
    reason: 'webhook_address',
    message: 'url: must be a public address, not one of a private network',
    when: 'The address is that of a private network, or not an https address that others can reach',
  },
  noWebhook: {
    code: 'notFound',
    message: 'No webhook is configured.',
    when: 'The application has no webhook',
  },
  notYourMessage: {
    code: 'forbidden',
    reason: 'not_your_message',
    message: 'There is no such message of yours in this room.',
    when: 'The message to edit or delete is somebody else’s, deleted or not there: one answer for all three',
  },
  outranked: {
    code: 'forbidden',
    reason: 'outranked',
    message: 'This member’s highest role does not rank below yours.',
    when: 'The member’s highest role does not rank below the bot’s; the owner and oneself are never a target',
  },
  muted: {
    code: 'forbidden',
    reason: 'muted',
    message: 'Muted in the chat of this channel.',
    when: 'The bot is muted in the chat of the channel',
  },
  noSuchRoom: {
    code: 'unprocessable',
    reason: 'no_such_room',
    message: 'The room is not a room of this channel.',
    when: 'The room is not of the channel, is not there, or is private and does not admit the bot',
  },
  wrongRoomType: {
    code: 'unprocessable',
    reason: 'wrong_room_type',
    message: 'The room is a voice room; this needs a text room.',
    when: 'The room is of another type',
  },
  noSuchMessage: {
    code: 'unprocessable',
    reason: 'no_such_message',
    message: 'The message is not in this room.',
    when: 'The message, or the one replied to, is deleted or not in the room',
  },
  noSuchCursor: {
    code: 'unprocessable',
    reason: 'no_such_message',
    message: 'beforeId: is not a message of this room.',
    when: 'The message of `beforeId` never was in the room',
  },
  tooOldToEdit: {
    code: 'unprocessable',
    reason: 'too_old_to_edit',
    message: 'A message can be edited within 30 minutes of sending it.',
    when: 'The message was sent more than 30 minutes ago',
  },
  tooManyReactions: {
    code: 'unprocessable',
    reason: 'too_many_reactions',
    message: 'A message takes at most 20 kinds of reactions.',
    when: 'The message has 20 other kinds of reactions',
  },
  tooManyPins: {
    code: 'unprocessable',
    reason: 'too_many_pins',
    message: 'A room has at most 250 pins.',
    when: 'The room has 250 pins',
  },
  notAMember: {
    code: 'unprocessable',
    reason: 'not_a_member',
    message: 'There is no such member on this channel.',
    when: 'Nobody with that id is a member of the channel',
  },
  notInVoice: {
    code: 'unprocessable',
    reason: 'not_in_voice',
    message: 'The member is not in a voice room of this channel.',
    when: 'The member is in no voice room of the channel that the bot may see; stream rooms are not voice rooms',
  },
  memberNotAdmitted: {
    code: 'unprocessable',
    reason: 'member_not_admitted',
    message: 'The room is private and does not admit this member.',
    when: 'The room to move to is private and does not admit the member',
  },
  roomFull: {
    code: 'unprocessable',
    reason: 'room_full',
    message: 'The voice room is full.',
    when: 'As many are in the voice room as its `userLimit` allows',
  },
  idempotencyKeyReused: {
    code: 'unprocessable',
    reason: 'idempotency_key_reused',
    message: 'This Idempotency-Key was used for another request.',
    when: 'The `Idempotency-Key` came with another request in the last 24 hours',
  },
} as const satisfies Record<string, RefusalEntry>

export type RefusalName = keyof typeof REFUSALS
