/** Whether only the machine itself can open a URL. */
export function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/i.test(new URL(url).hostname)
}
