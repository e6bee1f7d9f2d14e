import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

/** Prints the address of every file that is loaded. */
const RECORDER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) })`)}`

/** What only some portals need, or the first request of its kind, or another thread. */
const LATER = [
  'oidc-provider/lib/provider.js',
  'livekit-server-sdk',
  '@livekit/protocol',
  '@redis/client',
  'sharp',
  'marked',
  'jose',
  'aws4fetch',
  'server/src/http/documents.ts',
  'media/src/worker/worker.ts',
  'media/src/dtls/dtls-server.ts',
]

describe('a start', () => {
  test('does not wait for what only some portals or later requests need', async () => {
    const args = ['--import', RECORDER, join(import.meta.dirname, 'start.ts')]
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 })
    const loaded = stdout.split('\n')
    expect(loaded.filter((url) => url.endsWith('/server/src/http/build-server.ts'))).toHaveLength(1)
    expect(loaded.filter((url) => LATER.some((name) => url.includes(`/${name}`)))).toEqual([])
  })
})
