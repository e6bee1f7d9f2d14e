import type { RoomMessage } from '@portico/contract'

/** A message that is being answered, as the reply quotes it. */
export type Quoted = Pick<RoomMessage, 'id' | 'author' | 'text'>
