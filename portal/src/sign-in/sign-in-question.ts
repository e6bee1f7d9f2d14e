import { queryOptions } from '@tanstack/svelte-query'
import type { SignInAnswer, SignInQuestion } from '@portico/contract'
import { goto } from '$app/navigation'
import { request } from '#api/api.ts'

/**
 * What a website's sign-in asks the person. Requested below the page's own path, because its cookie is limited to it.
 */
export const signInQuestion = (uid: string) =>
  queryOptions({
    queryKey: ['sign-in-question', uid],
    queryFn: ({ signal }) => request<SignInQuestion>(at(uid, 'question'), { signal }),
    staleTime: 0,
  })

/** The website for which someone signs in who will return to this path; null if it isn't one of a website's sign-in. */
export const websiteAt = (path: string) =>
  queryOptions({
    queryKey: ['sign-in-website', path],
    queryFn: ({ signal, client }) => {
      const { pathname, search } = new URL(path, location.origin)
      if (pathname === AUTHORIZE) return request<SignInQuestion>(`/oauth/question${search}`, { signal })
      const [, uid] = /^\/oauth\/interaction\/([^/]+)/.exec(pathname) ?? []
      // They have just seen the question.
      return (uid === undefined ? undefined : client.getQueryData(signInQuestion(uid).queryKey)) ?? null
    },
    staleTime: Infinity,
    retry: false,
  })

/** Goes where someone returns to after they signed in. The server answers a website's request, not the portal. */
export async function returnTo(path: string): Promise<void> {
  if (new URL(path, location.origin).pathname === AUTHORIZE) location.replace(path)
  else await goto(path, { replace: true })
}

const AUTHORIZE = '/oauth/authorize'

/** Sends the answer and returns the URL where the sign-in continues. */
export async function answerSignIn(uid: string, answer: 'continue' | 'allow' | 'deny'): Promise<string> {
  const { location } = await request<SignInAnswer>(at(uid, answer), { method: 'POST' })
  return location
}

function at(uid: string, what: string): string {
  return `/oauth/interaction/${encodeURIComponent(uid)}/${what}`
}
