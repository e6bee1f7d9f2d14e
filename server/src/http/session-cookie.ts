import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { isEncrypted } from './https-listener.ts'

/** With the prefix, browsers reject a cookie set by a neighboring host. */
export function cookieName(secure: boolean): string {
  return secure ? '__Host-portico' : 'portico'
}

/** The session cookie of requests through this connection. */
export function cookieOf(socket: Socket, { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>) {
  const secure = isEncrypted(socket) || PUBLIC_URL.startsWith('https:')
  return {
    name: cookieName(secure),
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure } as const,
  }
}

export function readSessionCookie(request: FastifyRequest, config: Config): string | undefined {
  return request.cookies[cookieOf(request.socket, config).name]
}

/** In seconds: the maximum lifetime in browsers. When a session ends is up to the server, which can then say why. */
const COOKIE_LIFE = 400 * 24 * 60 * 60

export function writeSessionCookie(reply: FastifyReply, config: Config, token: string): void {
  const { name, options } = cookieOf(reply.request.socket, config)
  void reply.setCookie(name, token, { ...options, maxAge: COOKIE_LIFE })
}

export function readDeviceCookie(request: FastifyRequest, config: Config): string | undefined {
  return request.cookies[deviceCookieOf(cookieOf(request.socket, config))]
}

export function writeDeviceCookie(reply: FastifyReply, config: Config, token: string): void {
  const cookie = cookieOf(reply.request.socket, config)
  void reply.setCookie(deviceCookieOf(cookie), token, { ...cookie.options, maxAge: COOKIE_LIFE })
}

function deviceCookieOf({ name }: { name: string }): string {
  return `${name}-device`
}

export function clearSessionCookie(reply: FastifyReply, config: Config): void {
  const { name, options } = cookieOf(reply.request.socket, config)
  void reply.clearCookie(name, options)
}
