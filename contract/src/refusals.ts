import type { ErrorCode } from './errors.ts'
import type { Reason } from './reasons.ts'

interface RefusalEntry {
  readonly code: ErrorCode
  /** A stable code for programs. The message is for people and its wording may change. */
  readonly reason?: Reason
  readonly field?: string
  readonly message: string
  /** When it is returned, for the API reference. */
  readonly when: string
}

/** Why a valid request of a bot is refused because of the object it is about. */
export const REFUSALS = {
  notInstalled: {
    code: 'forbidden',
    reason: 'not_a_member',
    message: 'The application isn’t installed in this channel.',
    when: 'The application is not installed in `channelId`, or the channel doesn’t exist',
  },
  privateAddress: {
    code: 'badRequest',
    field: 'url',
    reason: 'webhook_address',
    message: 'url: must be a public address, not one in a private network',
    when: 'The address is in a private network, or isn’t a public https address',
  },
  noWebhook: {
    code: 'notFound',
    message: 'No webhook is configured.',
    when: 'The application has no webhook',
  },
  notYourMessage: {
    code: 'forbidden',
    reason: 'not_your_message',
    message: 'You have no such message in this room.',
    when: 'The message to edit or delete isn’t yours, was deleted or doesn’t exist',
  },
  outranked: {
    code: 'forbidden',
    reason: 'outranked',
    message: 'This member’s highest role isn’t below yours.',
    when: 'The member’s highest role doesn’t rank below the bot’s, or the member is the owner or the bot itself',
  },
  muted: {
    code: 'forbidden',
    reason: 'muted',
    message: 'You’re muted in this channel’s chat.',
    when: 'The bot is muted in the chat of the channel',
  },
  noSuchRoom: {
    code: 'unprocessable',
    reason: 'no_such_room',
    message: 'There’s no such room in this channel.',
    when: 'The room belongs to another channel, doesn’t exist, or is private and doesn’t admit the bot',
  },
  wrongRoomType: {
    code: 'unprocessable',
    reason: 'wrong_room_type',
    message: 'The room is a voice room; this needs a text room.',
    when: 'The room has another type',
  },
  noSuchMessage: {
    code: 'unprocessable',
    reason: 'no_such_message',
    message: 'There’s no such message in this room.',
    when: 'The message, or the one replied to, is deleted or not in the room',
  },
  noMessageHere: {
    code: 'unprocessable',
    reason: 'no_such_message',
    message: 'There’s no such message in this channel.',
    when: 'The message is deleted, or not in a text room of the channel that the bot can see',
  },
  noSuchCursor: {
    code: 'unprocessable',
    reason: 'no_such_message',
    message: 'beforeId: isn’t a message in this room.',
    when: 'The message in `beforeId` was never in the room',
  },
  stillWriting: {
    code: 'unprocessable',
    reason: 'still_writing',
    message: 'The message is still being written; finish it first.',
    when: 'The message was begun with `startMessage` and hasn’t ended',
  },
  tooManyStreams: {
    code: 'unprocessable',
    reason: 'too_many_streams',
    message: 'An application can write 3 messages at the same time.',
    when: 'The application is writing 3 messages already',
  },
  streamEnded: {
    code: 'unprocessable',
    reason: 'stream_ended',
    message: 'The message isn’t being written anymore.',
    when: 'The message was finished or interrupted, or was sent as a whole',
  },
  wrongPosition: {
    code: 'unprocessable',
    reason: 'wrong_position',
    message: 'The message has another text or length at this position.',
    when: 'The message is shorter than `position`, or has another text there',
  },
  messageTooLong: {
    code: 'unprocessable',
    reason: 'message_too_long',
    message: 'A message can have at most 4000 characters.',
    when: 'The message would have more than 4000 characters',
  },
  optionRequestOver: {
    code: 'unprocessable',
    reason: 'option_request_over',
    message: 'Nobody is waiting for these suggestions anymore.',
    when: 'The event is older than 2 seconds, another application got it, or the bot or the person has left the channel',
  },
  tooOldToEdit: {
    code: 'unprocessable',
    reason: 'too_old_to_edit',
    message: 'Messages can be edited for 30 minutes.',
    when: 'The message was sent more than 30 minutes ago',
  },
  tooManyReactions: {
    code: 'unprocessable',
    reason: 'too_many_reactions',
    message: 'A message can have at most 20 different reactions.',
    when: 'The message already has 20 different reactions',
  },
  tooManyPins: {
    code: 'unprocessable',
    reason: 'too_many_pins',
    message: 'A room can have at most 250 pinned messages.',
    when: 'The room already has 250 pins',
  },
  fileTooLarge: {
    code: 'badRequest',
    field: 'file',
    reason: 'file_too_large',
    message: 'file: must be at most 25 MiB',
    when: 'The file is larger than the portal allows: 25 MiB, unless the operator has set another limit',
  },
  storageFull: {
    code: 'unprocessable',
    reason: 'storage_full',
    message: 'The portal’s storage for files is full.',
    when: 'The file doesn’t fit into the storage that the operator has set aside for files',
  },
  ownStorageFull: {
    code: 'unprocessable',
    reason: 'own_storage_full',
    message:
      'Your files take all the storage that one person has. Delete messages with files that aren’t needed anymore.',
    when: 'The file doesn’t fit into what one person may use, which their own files and those of their bots share',
  },
  notAMember: {
    code: 'unprocessable',
    reason: 'not_a_member',
    message: 'There’s no such member in this channel.',
    when: 'Nobody with that id is a member of the channel',
  },
  notInVoice: {
    code: 'unprocessable',
    reason: 'not_in_voice',
    message: 'The member isn’t in a voice room of this channel.',
    when: 'The member isn’t in a voice room of the channel that the bot can see; stream rooms don’t count',
  },
  memberNotAdmitted: {
    code: 'unprocessable',
    reason: 'member_not_admitted',
    message: 'The room is private and doesn’t admit this member.',
    when: 'The room to move to is private and does not admit the member',
  },
  memberCannotRead: {
    code: 'unprocessable',
    reason: 'member_not_admitted',
    message: 'This member is a bot or can’t read the room.',
    when: 'The member is a bot or can’t read the room',
  },
  roomFull: {
    code: 'unprocessable',
    reason: 'room_full',
    message: 'The voice room is full.',
    when: 'The voice room has reached its `userLimit`',
  },
  idempotencyKeyReused: {
    code: 'unprocessable',
    reason: 'idempotency_key_reused',
    message: 'This Idempotency-Key was already used for a different request.',
    when: 'The `Idempotency-Key` was used for a different request in the last 24 hours',
  },
} as const satisfies Record<string, RefusalEntry>

export type RefusalName = keyof typeof REFUSALS
