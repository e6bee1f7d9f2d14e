/** Prevents open redirects: sign-in only returns to a path inside the portal. */
export function returnPath(url: { searchParams: { get(name: string): string | null }; origin: string }): string {
  const next = url.searchParams.get('next')
  if (!next?.startsWith('/') || !URL.canParse(next, url.origin)) return '/'
  const place = new URL(next, url.origin)
  return place.origin === url.origin ? place.pathname + place.search + place.hash : '/'
}

export function signInFrom(url: { pathname: string; search: string; hash: string }): string {
  return withReturnPath('/sign-in', url.pathname + url.search + url.hash)
}

export function withReturnPath(path: '/sign-in' | '/sign-up', next: string): string {
  return next === '/' ? path : `${path}?${new URLSearchParams({ next })}`
}
