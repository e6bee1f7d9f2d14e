import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import type { SignInAnswer, SignInQuestion } from '@portico/contract'
import { request } from '#api.ts'

/**
 * What a website's sign-in asks the person. Requested below the page's own path, because its cookie is limited to it.
 */
export const signInQuestion = (uid: string) =>
  queryOptions({
    queryKey: ['sign-in-question', uid],
    queryFn: ({ signal }) => request<SignInQuestion>(at(uid, 'question'), { signal }),
    staleTime: 0,
  })

/** The question of the page at a URL, if it is cached. */
export function questionAt(client: QueryClient, address: string): SignInQuestion | undefined {
  const [, uid] = /^\/oauth\/interaction\/([^/?#]+)/.exec(address) ?? []
  return uid === undefined ? undefined : client.getQueryData(signInQuestion(uid).queryKey)
}

/** Sends the answer and returns the URL where the sign-in continues. */
export async function answerSignIn(uid: string, answer: 'continue' | 'allow' | 'deny'): Promise<string> {
  const { location } = await request<SignInAnswer>(at(uid, answer), { method: 'POST' })
  return location
}

function at(uid: string, what: string): string {
  return `/oauth/interaction/${encodeURIComponent(uid)}/${what}`
}
