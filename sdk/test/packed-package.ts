import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atFileEnd, oncePerFile } from '../../server/test/file-end.ts'

const sdk = join(import.meta.dirname, '..')

export interface PackedPackage {
  /** The folder that is published. */
  readonly published: string
  readonly tarball: string
  /** A project in which the packed package is installed, and nothing else. */
  readonly project: string
}

/** Builds and packs the package, and installs it in a new project. Removed at the end of the test file. */
export const packedPackage = oncePerFile((): PackedPackage => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-sdk-package-'))
  atFileEnd(async () => rmSync(folder, { recursive: true, force: true }))
  const built = join(folder, 'built')
  execFileSync(process.execPath, [join(sdk, 'tooling/build.ts'), built])
  const published = join(built, 'package')
  const tarball = join(built, globSync('portico-sdk-*.tgz', { cwd: built })[0] ?? '')
  const project = join(folder, 'project')
  const installed = join(project, 'node_modules/@portico/sdk')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['--extract', '--file', tarball, '--directory', installed, '--strip-components=1'])
  const manifest = { type: 'module', dependencies: { '@portico/sdk': '0.1.0' } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  for (const program of ['smoke.mjs', 'reconnecting.mjs']) cpSync(join(sdk, 'test', program), join(project, program))
  return { published, tarball, project }
})

/** Installs another package in the project, from those of this checkout. */
export function installAsWell({ project }: PackedPackage, name: string): void {
  const at = join(project, 'node_modules', name)
  if (!existsSync(at)) symlinkSync(join(sdk, '../node_modules', name), at)
}
