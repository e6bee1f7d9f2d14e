import type { PortalEvent } from '#live/portal-event.ts'
import type { History } from './history.svelte.ts'
import { fetchMessagePage } from './message-page.ts'

type Growth = PortalEvent<'message.appended'>['data']

/** Messages whose text is being fetched. */
const fetching = new Set<string>()

/** Shows what a bot has appended. If something before it was missed, the message is fetched. */
export async function growMessage(history: History, { messageId, position, text }: Growth): Promise<void> {
  const message = history.messages.find(({ id }) => id === messageId)
  if (message?.streaming !== 'writing') return
  const before = [...message.text]
  if (position > before.length) return fetchMessage(history, messageId)
  if (position + [...text].length <= before.length) return
  history.window.change(messageId, (shown) => ({ ...shown, text: before.slice(0, position).join('') + text }))
}

/** Shows what the server has of the message. */
export async function fetchMessage({ roomId, window }: History, messageId: string): Promise<void> {
  if (fetching.has(messageId)) return
  fetching.add(messageId)
  try {
    const page = await fetchMessagePage(roomId, { aroundId: messageId })
    const fetched = page.messages.find(({ id }) => id === messageId)
    if (!fetched) return
    // What has arrived meanwhile may be newer.
    window.change(messageId, (shown) =>
      shown.streaming === 'writing' && fetched.text.length >= shown.text.length ? fetched : shown,
    )
  } catch {
    // What comes next is fetched again, and at the end the whole text arrives.
  } finally {
    fetching.delete(messageId)
  }
}
