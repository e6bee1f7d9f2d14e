import { api } from '#api.ts'

const EVERY_MS = 3000
const lastSent = new Map<string, number>()

/** Lets the others of a room know that one is writing, not oftener than they need to hear it. */
export function sendTyping(roomId: string, text: string): void {
  const now = performance.now()
  if (text.trim() === '' || now - (lastSent.get(roomId) ?? -EVERY_MS) < EVERY_MS) return
  lastSent.set(roomId, now)
  // Nobody misses it: whatever stands in the way is lastSent by the message itself.
  api.startTyping({ roomId }).catch(() => undefined)
}
