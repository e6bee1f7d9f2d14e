import { LIMITS } from '@portico/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'

export function cookieOf(config: Config) {
  const secure = config.PUBLIC_URL.startsWith('https:')
  return {
    // With the prefix, browsers reject a cookie set by a neighbouring host.
    name: secure ? '__Host-portico' : 'portico',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure } as const,
  }
}

export function readSessionCookie(request: FastifyRequest, config: Config): string | undefined {
  return request.cookies[cookieOf(config).name]
}

export function writeSessionCookie(reply: FastifyReply, config: Config, token: string): void {
  const { name, options } = cookieOf(config)
  void reply.setCookie(name, token, { ...options, maxAge: LIMITS.sessionLife })
}

/** In seconds: the maximum lifetime in browsers. */
const DEVICE_COOKIE_LIFE = 400 * 24 * 60 * 60

export function readDeviceCookie(request: FastifyRequest, config: Config): string | undefined {
  return request.cookies[deviceCookie(config)]
}

export function writeDeviceCookie(reply: FastifyReply, config: Config, token: string): void {
  void reply.setCookie(deviceCookie(config), token, { ...cookieOf(config).options, maxAge: DEVICE_COOKIE_LIFE })
}

function deviceCookie(config: Config): string {
  return `${cookieOf(config).name}-device`
}

export function clearSessionCookie(reply: FastifyReply, config: Config): void {
  const { name, options } = cookieOf(config)
  void reply.clearCookie(name, options)
}
