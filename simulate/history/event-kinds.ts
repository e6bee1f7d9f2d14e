/** The kinds of events that bots get. Of messages and reactions only those of text rooms, of voice rooms only those of public ones. */
export const OF_BOTS: readonly string[] = [
  'message.created',
  'message.updated',
  'message.deleted',
  'reaction.added',
  'reaction.removed',
  'voice.member_joined',
  'voice.member_left',
]

/** What bots with buttons ask for. */
export const WITH_PRESSES: readonly string[] = [...OF_BOTS, 'component.pressed']
