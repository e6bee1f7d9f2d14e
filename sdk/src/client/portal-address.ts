/** The address of the portal as people copy it: also with a slash at the end, or with the path of the API. */
export function portalAddress(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new TypeError(`url must be the address of the portal, such as https://chat.example, not ${url}`)
  }
  return address.href
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\/api\/v1$/, '')
    .replace(/\/+$/, '')
}
