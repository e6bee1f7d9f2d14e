/** Whether a host name or address, as it stands in an address or on a socket, is this very machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d+){3}|::1|\[::1\])$/i.test(host)
}
