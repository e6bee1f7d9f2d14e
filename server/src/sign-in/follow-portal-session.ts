import type { Provider } from 'oidc-provider'
import { findSession } from '../accounts/find-session.ts'
import { cookieOf } from '../http/session-cookie.ts'
import type { Services } from '../operations/services.ts'
import { secondsOf } from './payload.ts'

/**
 * The provider's session follows the portal's. On its own it would issue tokens for a person who has signed out, or for
 * the previous user of the browser.
 */
export function followPortalSession(provider: Provider, services: Services): void {
  const { Session } = provider
  const own = Session.get.bind(Session)

  Session.get = async (ctx) => {
    const { name } = cookieOf(ctx.req.socket, services.config)
    const token = ctx.cookies.get(name, { signed: false })
    const person = token === undefined ? undefined : await findSession(services, token)
    let session = await own(ctx)
    if (session.accountId !== undefined && session.accountId !== person?.id) {
      await session.destroy()
      session = new Session()
      ctx['oidc'].entity('Session', session)
    }
    if (person) {
      // A session from before the sign-in gets a new id, to prevent session fixation.
      if (session.accountId === undefined) session.resetIdentifier()
      session.loginAccount({ accountId: person.id, loginTs: secondsOf(person.signedInAt) })
    }
    return session
  }
}
