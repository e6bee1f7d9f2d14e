/** Of the same lightness, far enough apart to be told from each other, with at least 4.5 : 1 to white letters. */
const COLORS = [
  '#b3423f',
  '#a9512b',
  '#8d5f14',
  '#677016',
  '#3f7a35',
  '#1f7a5c',
  '#1c767f',
  '#27709f',
  '#3c65c3',
  '#5a57c6',
  '#7a4fba',
  '#98459c',
  '#ad3f74',
  '#66707f',
] as const

/** The color of an account or channel without a picture: the same id has the same one everywhere. */
export function tileColor(id: string): string {
  let hash = 0x811c9dc5
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return COLORS[(hash >>> 0) % COLORS.length] ?? COLORS[0]
}
