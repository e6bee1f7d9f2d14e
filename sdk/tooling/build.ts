/**
 * `node sdk/tooling/build.ts [folder]` builds the package in `package` of the folder, and packs it. The default is sdk/dist.
 * `--release` records the checksum of its version, which is then the version of exactly this content.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { manifest, type Description } from './manifest.ts'
import { packer, packVersion } from './pack.ts'

const { values: given, positionals } = parseArgs({
  options: { release: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const sdk = join(import.meta.dirname, '..')
const root = join(sdk, '..')
const folder = resolve(positionals[0] ?? join(sdk, 'dist'))
const out = join(folder, 'package')

rmSync(folder, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
// Comments are for the declarations; the code is smaller without them.
compile('--removeComments')
compile('--declaration', '--emitDeclarationOnly')
for (const path of globSync('**/*.d.ts', { cwd: out })) rewriteDeclarations(join(out, path))
const files = [
  ...globSync('**/*.{js,d.ts}', { cwd: out }).map((path) => ({
    path: path.replaceAll('\\', '/'),
    at: join(out, path),
  })),
  { path: 'README.md', at: join(sdk, 'README.md') },
  { path: 'LICENSE', at: join(root, 'LICENSE') },
].map(({ path, at }) => ({ path, text: readFileSync(at, 'utf8') }))

const description = readJson(join(sdk, 'package.json')) as Description & { version: string }
const records = join(sdk, 'releases.json')
const released = readJson(records) as Record<string, string>
const pack = packer(files, (version) => manifest(description, version))
if (given.release) recordRelease()
const packed = packVersion(pack, description.version, released)
for (const { path, text } of files) writeFileSync(join(out, path), text)
writeFileSync(join(out, 'package.json'), packed.manifest)
writeFileSync(join(folder, `portico-sdk-${packed.version}.tgz`), packed.bytes)
console.log(`${description.name} ${packed.version} ${packed.integrity}`)

function compile(...options: string[]): void {
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')
  const project = join(sdk, 'tsconfig.build.json')
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', out, ...options], { stdio: 'inherit' })
}

/** The compiler rewrites imports only in code. Before TypeScript 5.7, typed arrays had no type parameter. */
function rewriteDeclarations(path: string): void {
  const text = readFileSync(path, 'utf8')
    .replaceAll(/(from|import\()( ?)(['"])(\.[^'"]*)\.ts\3/g, '$1$2$3$4.js$3')
    .replaceAll(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<typeof $1.of>')
  writeFileSync(path, text)
}

function recordRelease(): void {
  const { version, repository } = description
  if (repository === undefined) throw new Error('set "repository" in sdk/package.json to the address of the repository')
  const { integrity } = pack(version)
  if ((released[version] ??= integrity) !== integrity) {
    throw new Error(`${version} was released with other content: raise "version" in sdk/package.json`)
  }
  writeFileSync(records, `${JSON.stringify(released, null, 2)}\n`)
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
