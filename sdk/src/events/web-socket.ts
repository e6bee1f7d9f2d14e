import { PorticoError } from '../client/errors.ts'

/** The part of the standard `WebSocket` that the event stream uses. */
export interface WebSocketLike {
  addEventListener(type: 'open' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void
  send(data: string): void
  close(code?: number, reason?: string): void
}

/** A class of such sockets. */
export type WebSocketConstructor = new (url: string) => WebSocketLike

/** The platform's `WebSocket`. Node has one since version 22; on Node 20 the package `ws` is used. */
export async function findWebSocket(): Promise<WebSocketConstructor> {
  const { WebSocket } = globalThis as { WebSocket?: WebSocketConstructor }
  if (WebSocket) return WebSocket
  // The name is not a literal, so that bundlers and compilers don't look for a package that few need.
  const name = 'ws'
  try {
    return ((await import(name)) as { WebSocket: WebSocketConstructor }).WebSocket
  } catch (cause) {
    throw new PorticoError(
      'This platform has no WebSocket. Use Node 22 or newer, or install the package ws (npm install ws).',
      { cause },
    )
  }
}
