import type { ServerOptions } from 'node:http'

/** How all listeners read HTTP. */
export const HTTP_OPTIONS = {
  // Many HTTP libraries offer an upgrade to HTTP/2. Only WebSocket upgrades are accepted; the rest is answered normally.
  shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
  // Node's own refusal would have another format.
  requireHostHeader: false,
} satisfies ServerOptions
