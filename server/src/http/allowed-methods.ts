import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../operations/refusal.ts'
import { answer } from './answer-errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods of a path, for the `Allow` header; undefined for an unknown path. */
    allowedMethods(url: string): string | undefined
  }
}

interface KnownPath {
  readonly segments: readonly string[]
  readonly methods: Set<string>
}

/** Records the methods of every route registered from here on. */
export function allowedMethods(app: FastifyInstance): void {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ method, url }) => {
    const path = paths.get(url) ?? { segments: url.split('/'), methods: new Set() }
    paths.set(url, path)
    for (const one of [method].flat()) path.methods.add(one)
  })
  app.decorate('allowedMethods', (url) => {
    const [requested = ''] = url.split('?', 1)
    const segments = requested.split('/')
    const methods = [...paths.values()].flatMap((path) => (matches(path, segments) ? [...path.methods] : []))
    return methods.length > 0 ? [...new Set(methods)].toSorted().join(', ') : undefined
  })
}

/** Answers an unknown path, or a known one with another method; then with an `Allow` header. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const allowed = request.server.allowedMethods(request.url)
  if (allowed !== undefined) void reply.header('allow', allowed)
  return answer(new Refusal('notFound'), reply)
}

function matches({ segments }: KnownPath, requested: readonly string[]): boolean {
  if (segments.length !== requested.length) return false
  return segments.every((one, place) => one === requested[place] || (one.startsWith(':') && requested[place] !== ''))
}
