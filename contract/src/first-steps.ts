import { Type, type Static } from 'typebox'
import { ChannelId } from './ids.ts'
import { noInput, nothing, ok, operation } from './operation.ts'
import { named } from './schema.ts'

const hidden = Type.Boolean({ description: 'Someone who manages it doesn’t want to see the list' })

export type FirstSteps = Static<typeof FirstSteps>
export const FirstSteps = named(
  'FirstSteps',
  Type.Object({
    hidden,
    done: Type.Object({
      name: Type.Boolean({ description: 'The portal has a name of its own' }),
      channel: Type.Boolean({ description: 'There is a channel' }),
      invite: Type.Boolean({ description: 'There is an invitation or a second person' }),
      voice: Type.Boolean({ description: 'A person has joined a voice or stream room' }),
      bot: Type.Boolean({ description: 'A bot is installed in a channel' }),
    }),
  }),
)

export const getFirstSteps = operation({
  at: 'GET /first-steps',
  summary: 'Get what has been done to set up a new portal',
  by: 'administrator',
  input: noInput,
  output: ok(FirstSteps),
})

export const hideFirstSteps = operation({
  at: 'DELETE /first-steps',
  summary: 'Hide the checklist of a new portal from all administrators',
  by: 'administrator',
  input: noInput,
  output: nothing,
})

export type ChannelFirstSteps = Static<typeof ChannelFirstSteps>
export const ChannelFirstSteps = named(
  'ChannelFirstSteps',
  Type.Object({
    hidden,
    done: Type.Object({
      invite: Type.Boolean({ description: 'There is an invitation or a second member' }),
      room: Type.Boolean({ description: 'There is a room besides those that every channel starts with' }),
      hello: Type.Boolean({ description: 'Someone has sent a message' }),
    }),
  }),
)

const ofChannel = Type.Object({ channelId: ChannelId })

export const getChannelFirstSteps = operation({
  at: 'GET /channels/:channelId/first-steps',
  summary: 'Get what has been done to set up a new channel',
  by: 'person',
  access: { channel: true, right: 'manage_channel' },
  input: ofChannel,
  output: ok(ChannelFirstSteps),
})

export const hideChannelFirstSteps = operation({
  at: 'DELETE /channels/:channelId/first-steps',
  summary: 'Hide the checklist of a new channel from everyone who manages it',
  by: 'person',
  access: { channel: true, right: 'manage_channel' },
  input: ofChannel,
  output: nothing,
})
