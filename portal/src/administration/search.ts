import { goto } from '$app/navigation'
import { page } from '$app/state'

/** What is looked for stands in the address: it outlives a reload and can be sent to somebody. */
export function searched(): string {
  return page.url.searchParams.get('search') ?? ''
}

export async function search(words: string): Promise<void> {
  const url = new URL(page.url.href)
  if (words.trim() === '') url.searchParams.delete('search')
  else url.searchParams.set('search', words.trim())
  await goto(url, { replace: true, reset: false })
}
