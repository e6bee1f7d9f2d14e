import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isFullRun } from '../../../test/full-run.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
/** The jar of openapi-generator, which `.ci/install-tools` downloads. */
const jar = (isFullRun && process.env['PORTICO_TEST_OPENAPI_GENERATOR']) || ''

/** Generates a client from docs/openapi.json. Removed after the test. */
async function generate(generator: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `portico-${generator}-`))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const document = join(root, 'docs/openapi.json')
  await run('java', ['-jar', jar, 'generate', '-i', document, '-g', generator, '-o', folder], { maxBuffer: 2 ** 26 })
  return folder
}

function everythingIn(folder: string, pattern: string): string {
  return globSync(pattern, { cwd: folder })
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n')
}

describe.skipIf(!existsSync(jar))('openapi-generator', () => {
  test('makes a client for Python that compiles, with every route', async () => {
    const folder = await generate('python')
    await run('python3', ['-m', 'compileall', '-q', '-f', folder])
    const code = everythingIn(folder, 'openapi_client/api/*.py')
    for (const name of ['get_event_token', 'get_scopes', 'send_message', 'upload_file']) {
      expect(code).toContain(`def ${name}(`)
    }
  })

  test('makes a client for TypeScript that compiles, with every route', async () => {
    const folder = await generate('typescript-fetch')
    const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--lib', 'es2022,dom']
    const resolution = ['--moduleResolution', 'bundler', '--types', '']
    await run(process.execPath, [compiler, ...options, ...resolution, 'index.ts'], { cwd: folder })
    const code = everythingIn(folder, 'apis/*.ts')
    for (const name of ['getEventToken', 'getScopes', 'sendMessage', 'uploadFile']) {
      expect(code).toContain(`async ${name}(`)
    }
  })

  test('makes a client for Go that compiles, with every route', async () => {
    const folder = await generate('go')
    await run('go', ['build', '-mod=mod', '.'], { cwd: folder })
    const code = everythingIn(folder, 'api_*.go')
    for (const name of ['GetEventToken', 'GetScopes', 'SendMessage', 'UploadFile']) {
      expect(code).toContain(`Service) ${name}(`)
    }
  })
})
