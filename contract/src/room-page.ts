import { Type, type Static } from 'typebox'
import { Account, Instance } from './accounts.ts'
import { listChannels } from './channels.ts'
import { listChannelCommands } from './commands.ts'
import { readHistory } from './history.ts'
import { ok, operation } from './operation.ts'
import { listReadStates } from './unread.ts'
import { listRooms, RoomPermissions } from './rooms.ts'
import { Id, named, Nullable } from './schema.ts'

export type LogPosition = Static<typeof LogPosition>
export const LogPosition = named(
  'LogPosition',
  Type.Object({
    offset: Type.Integer({ description: 'Up to here everything is in the answer; what came later may be' }),
    epoch: Type.String({ description: 'Names the log that the offset belongs to' }),
  }),
)

export const getRoomPage = operation({
  at: 'GET /opening',
  summary: 'All that a page shows of a room when it is opened, in one answer',
  description:
    'Each part is what its own operation answers; of channels and unread marks the first page, and the channel itself. Parts of a channel or room that the asker may not see are null. A subscription that continues from `position` misses nothing that happened since.',
  by: 'person',
  input: Type.Object({
    channelId: Id,
    roomId: Id,
    aroundId: Type.Optional({ ...Id, description: 'The stretch around this message. Absent: the newest one' }),
  }),
  output: ok(
    Type.Object({
      position: LogPosition,
      account: Account,
      instance: Instance,
      channels: listChannels.output.schema,
      readings: listReadStates.output.schema,
      rooms: Nullable(listRooms.output.schema),
      standing: Nullable(RoomPermissions),
      commands: Nullable(listChannelCommands.output.schema),
      history: Nullable(readHistory.output.schema),
    }),
  ),
})
