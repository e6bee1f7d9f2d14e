import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const SDK = join(import.meta.dirname, '../../../sdk')

/** The packed SDK of this version, which `npm start` and the image build. */
export function sdkArchive(): { readonly name: string; readonly path: string } {
  const { version } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as { version: string }
  const name = `portico-sdk-${version}.tgz`
  return { name, path: join(SDK, 'dist', name) }
}
