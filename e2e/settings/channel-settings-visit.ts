import type { Page } from 'playwright-core'
import type { Person } from '../../server/test/person.ts'
import type { Visit, Visitor } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'

interface Wanted {
  readonly server: { readonly url: string }
  readonly channel: { readonly id: string }
}

/** Opens a section of the channel settings as this person. */
export function openSettings(
  open: Visitor['open'],
  { server, channel }: Wanted,
  person: Person,
  section: string,
  visit: Visit = {},
): Promise<Page> {
  return open(`${server.url}/c/${channel.id}/settings/${section}`, { ...signedIn(server.url, person), ...visit })
}
