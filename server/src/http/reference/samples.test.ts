import { execFileSync, spawnSync } from 'node:child_process'
import { Client, type ClientOptions } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { botDocument } from '../documents.ts'
import type { Route } from './curl.ts'
import { samplesOf } from './samples.ts'

const ORIGIN = 'https://chat.example'
const document = botDocument(ORIGIN, '1.0.0')
const base = document.servers[0]?.url ?? ''
const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): Route => ({ method: method.toUpperCase(), path, operation })),
)
const sampleOf = (route: Route, language: string): string =>
  samplesOf(base, route).find((sample) => sample.language === language)?.code ?? ''

describe('a sample in TypeScript', () => {
  test.each(routes)('sends the request of $operation.operationId', async (route) => {
    const requests: { method: string; url: string; body: unknown }[] = []
    class Recording extends Client {
      constructor(options: ClientOptions) {
        const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
          const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined
          requests.push({ method: init?.method ?? 'GET', url: new Request(url).url, body })
          return Response.json({})
        }
        super({ ...options, fetch })
      }
    }
    const [, ...code] = sampleOf(route, 'TypeScript').split('\n')
    const AsyncFunction = (async () => {}).constructor as new (
      ...args: string[]
    ) => (...args: unknown[]) => Promise<void>
    const env = { PORTICO_KEY: 'portico_bot_1', PORTICO_TOKEN: 'token' }
    await new AsyncFunction('Client', 'process', code.join('\n'))(Recording, { env })

    const [request] = requests
    expect(requests).toHaveLength(1)
    expect(request?.method).toBe(route.method)
    const pattern = route.path.replaceAll(/\{\w+\}/g, '[^/]+')
    expect(new URL(request?.url ?? '').pathname).toMatch(new RegExp(`^/api/v1${pattern}$`))
    const example = route.operation.requestBody?.content['application/json']?.example
    // The SDK adds ids by which it repeats a request.
    if (example !== undefined && route.method !== 'DELETE') expect(request?.body).toMatchObject(example as object)
  })
})

const hasPython = spawnSync('python3', ['--version']).status === 0

describe.skipIf(!hasPython)('a sample in Python', () => {
  test('is a valid program for every operation', () => {
    const programs = JSON.stringify(routes.map((route) => sampleOf(route, 'Python')))
    const check = 'import ast, json, sys\nfor program in json.load(sys.stdin): ast.parse(program)'
    expect(() => execFileSync('python3', ['-c', check], { input: programs, stdio: 'pipe' })).not.toThrow()
  })
})
