import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import type { SignInAnswer, SignInQuestion } from '@portico/contract'
import { request } from '#api.ts'

/** What a website's sign-in asks the person before it. Below the page's own address: its cookie goes nowhere else. */
export const signInQuestion = (uid: string) =>
  queryOptions({
    queryKey: ['sign-in-question', uid],
    queryFn: ({ signal }) => request<SignInQuestion>(at(uid, 'question'), { signal }),
    staleTime: 0,
  })

/** The question on the page at an address, where it has been asked for already. */
export function questionAt(client: QueryClient, address: string): SignInQuestion | undefined {
  const [, uid] = /^\/oauth\/interaction\/([^/?#]+)/.exec(address) ?? []
  return uid === undefined ? undefined : client.getQueryData(signInQuestion(uid).queryKey)
}

/** Answers, and gives the address at which the sign-in goes on. */
export async function answerSignIn(uid: string, answer: 'continue' | 'allow' | 'deny'): Promise<string> {
  const { location } = await request<SignInAnswer>(at(uid, answer), { method: 'POST' })
  return location
}

function at(uid: string, what: string): string {
  return `/oauth/interaction/${encodeURIComponent(uid)}/${what}`
}
