import { Type, type Static } from 'typebox'
import { Account, Instance } from './accounts.ts'
import { listChannels } from './channels.ts'
import { listChannelCommands } from './commands.ts'
import { readHistory } from './history.ts'
import { okOrSignedOut, operation } from './operation.ts'
import { listReadStates } from './unread.ts'
import { listRoleColors } from './roles.ts'
import { listRooms, RoomPermissions } from './rooms.ts'
import { ChannelId, RoomId } from './ids.ts'
import { Id, named, Nullable } from './schema.ts'

export type LogPosition = Static<typeof LogPosition>
export const LogPosition = named(
  'LogPosition',
  Type.Object({
    offset: Type.Integer({ description: 'Everything up to here is in the response; later changes may be' }),
    epoch: Type.String({ description: 'The log that the offset belongs to' }),
  }),
)

export const getRoomPage = operation({
  at: 'GET /room-page',
  summary: 'Get everything a page shows of a room when it is opened, in one response',
  description:
    'Each field is the output of its own operation; for channels and read states it is the first page and the channel itself. `place` is the room that was opened. Fields of a channel or room that the caller can’t see are null. A subscription that continues from `position` misses nothing that happened since.',
  by: 'person',
  input: Type.Object({
    channelId: Type.Optional({ ...ChannelId, description: 'Absent for the caller’s first channel' }),
    roomId: Type.Optional({ ...RoomId, description: 'Absent for the channel’s first text room' }),
    aroundId: Type.Optional({ ...Id, description: 'The page around this message. Absent for the newest page' }),
  }),
  output: okOrSignedOut(
    Type.Object({
      position: LogPosition,
      account: Account,
      instance: Instance,
      channels: listChannels.output.schema,
      readStates: listReadStates.output.schema,
      place: Nullable(Type.Object({ channelId: ChannelId, roomId: RoomId })),
      rooms: Nullable(listRooms.output.schema),
      permissions: Nullable(RoomPermissions),
      roleColors: Nullable(listRoleColors.output.schema),
      commands: Nullable(listChannelCommands.output.schema),
      history: Nullable(readHistory.output.schema),
    }),
  ),
})
