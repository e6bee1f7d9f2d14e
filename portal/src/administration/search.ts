import { goto } from '$app/navigation'
import { page } from '$app/state'

/** The search is part of the URL, so it survives a reload and can be shared. */
export function searched(): string {
  return page.url.searchParams.get('search') ?? ''
}

export async function search(query: string): Promise<void> {
  const url = new URL(page.url.href)
  if (query.trim() === '') url.searchParams.delete('search')
  else url.searchParams.set('search', query.trim())
  await goto(url, { replace: true, reset: false })
}
