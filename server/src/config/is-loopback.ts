/** Whether a host name or address, in a URL or of a socket, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d+){3}|::1|\[::1\])$/i.test(host)
}
