import type { Provider } from 'oidc-provider'
import { findSession } from '../accounts/find-session.ts'
import { cookieOf } from '../http/session-cookie.ts'
import type { Services } from '../operations/services.ts'
import { secondsOf } from './payload.ts'

/**
 * Whoever is signed in to the portal is signed in to the provider, and nobody else. Left to itself its session would
 * hand out tokens of a person who has signed out, or of the one before the present one.
 */
export function followPortalSession(provider: Provider, services: Services): void {
  const { Session } = provider
  const own = Session.get.bind(Session)
  const { name } = cookieOf(services.config)

  Session.get = async (ctx) => {
    const token = ctx.cookies.get(name, { signed: false })
    const person = token === undefined ? undefined : await findSession(services, token)
    let session = await own(ctx)
    if (session.accountId !== undefined && session.accountId !== person?.id) {
      await session.destroy()
      session = new Session()
      ctx['oidc'].entity('Session', session)
    }
    if (person) {
      // A session that was there before somebody signed in gets another id: whoever planted it is left behind.
      if (session.accountId === undefined) session.resetIdentifier()
      session.loginAccount({ accountId: person.id, loginTs: secondsOf(person.signedInAt) })
    }
    return session
  }
}
