/** `node sdk/tooling/build.ts [folder]` builds the package in `package` of the folder, and packs it. The default is sdk/dist. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const sdk = join(import.meta.dirname, '..')
const root = join(sdk, '..')
const folder = resolve(process.argv[2] ?? join(sdk, 'dist'))
const out = join(folder, 'package')

rmSync(folder, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
// Comments are for the declarations; the code is smaller without them.
compile('--removeComments')
compile('--declaration', '--emitDeclarationOnly')
for (const path of globSync('**/*.d.ts', { cwd: out })) rewriteDeclarations(join(out, path))
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
copyFileSync(join(sdk, 'README.md'), join(out, 'README.md'))
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
npm('pack', '--silent', '--pack-destination', folder, out)

function compile(...options: string[]): void {
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')
  const project = join(sdk, 'tsconfig.build.json')
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', out, ...options], { stdio: 'inherit' })
}

/** The npm that runs this program, which need not be in the PATH, else the one in the PATH. */
function npm(...args: string[]): void {
  const cli = process.env['npm_execpath']
  const [file, before] = cli === undefined ? ['npm', []] : [process.execPath, [cli]]
  execFileSync(file, [...before, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** The compiler rewrites imports only in code. Before TypeScript 5.7, typed arrays had no type parameter. */
function rewriteDeclarations(path: string): void {
  const text = readFileSync(path, 'utf8')
    .replaceAll(/(from|import\()( ?)(['"])(\.[^'"]*)\.ts\3/g, '$1$2$3$4.js$3')
    .replaceAll(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<typeof $1.of>')
  writeFileSync(path, text)
}

function manifest(): object {
  const { name, version, description, license } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  return {
    name,
    version,
    description,
    license,
    keywords: ['bot', 'chat', 'portico'],
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    types: './index.d.ts',
    engines: { node: '>=20' },
    peerDependencies: { '@livekit/rtc-node': '>=1', ws: '>=8' },
    peerDependenciesMeta: { '@livekit/rtc-node': { optional: true }, ws: { optional: true } },
  }
}
