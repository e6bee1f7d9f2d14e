import type { Answer, Client } from './client.ts'

/** More redirects than a sign-in has. */
const MOST_STEPS = 20

interface VisitOptions {
  /** The person, with the session of the portal. */
  readonly client: Client
  /** Of the portal. */
  readonly url: string
  /** Where the website sends the person. */
  readonly authorizeUrl: string
  readonly answer: 'allow' | 'deny'
}

/** Takes someone’s browser through a sign-in. Returns the address at the website where it ended, if it got there. */
export async function visitSignIn({ client, url, authorizeUrl, answer }: VisitOptions): Promise<URL | undefined> {
  const cookies = new Map<string, string>()
  const jar = (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const keep = (got: Answer | undefined): Answer | undefined => {
    for (const cookie of got?.cookies ?? []) {
      const at = cookie.indexOf('=')
      cookies.set(cookie.slice(0, at), cookie.slice(at + 1))
    }
    return got
  }
  let next = new URL(authorizeUrl)
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (next.origin !== url) return next
    if (next.pathname.startsWith('/oauth/interaction/')) {
      const at = { path: next.pathname, cookies: jar() }
      const asked = keep(await client.call('getQuestion', at))
      if (asked?.status !== 200) return undefined
      const { step: question } = asked.body as { step: string }
      if (question !== 'consent' && question !== 'continue') return undefined
      const answered = keep(
        await client.call('answerQuestion', {
          ...at,
          cookies: jar(),
          answer: question === 'consent' ? answer : 'continue',
        }),
      )
      if (answered?.status !== 200) return undefined
      next = new URL((answered.body as { location: string }).location, url)
      continue
    }
    const page = keep(await client.call('openPage', { path: next.pathname + next.search, cookies: jar() }))
    const location = page?.headers['location']
    if (location === undefined) return undefined
    next = new URL(location, next)
  }
  return undefined
}
