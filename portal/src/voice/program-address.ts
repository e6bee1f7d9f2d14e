/** Whether a host is the machine that asks for it. */
function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)
}

/**
 * Where programs on this device send a broadcast to: the portal's public address, or the address of this page if the public
 * one leads only the portal's own machine to it.
 */
export function programAddress(url: string): string {
  const { hostname, pathname } = new URL(url)
  return isLoopback(hostname) && !isLoopback(location.hostname) ? location.origin + pathname : url
}
