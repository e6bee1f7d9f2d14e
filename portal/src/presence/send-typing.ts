import { api } from '#api/api.ts'

const EVERY_MS = 3000
const lastSent = new Map<string, number>()

/** Tells the others in a room that someone is typing, at most as often as they need it. */
export function sendTyping(roomId: string, text: string): void {
  const now = performance.now()
  if (text.trim() === '' || now - (lastSent.get(roomId) ?? -EVERY_MS) < EVERY_MS) return
  lastSent.set(roomId, now)
  // Losing this is harmless: the message itself will arrive.
  api.startTyping({ roomId }).catch(() => undefined)
}
