/** What the media server appends to the identity of a program that broadcasts for someone, such as OBS. */
const PROGRAM = ':whip'

/** Whether a participant is a program that broadcasts for someone, who may be in the room themselves too. */
export function isProgram({ identity }: { readonly identity: string }): boolean {
  return identity.endsWith(PROGRAM)
}

/** The account that a participant belongs to. */
export function userIdOf(participant: { readonly identity: string }): string {
  return isProgram(participant) ? participant.identity.slice(0, -PROGRAM.length) : participant.identity
}
