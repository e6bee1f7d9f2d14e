import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

const DIST = join(import.meta.dirname, '../../../sdk/dist')

export interface SdkArchive {
  /** Contains the version, which stands for exactly these bytes: `portico-sdk-0.1.0.tgz`. */
  readonly name: string
  readonly path: string
}

/** The packed SDK of this version, which `npm start` and the image build. A server that was started otherwise may not have it. */
export function sdkArchive(): SdkArchive | undefined {
  const [path] = globSync('portico-sdk-*.tgz', { cwd: DIST }).map((name) => join(DIST, name))
  return path === undefined ? undefined : { name: basename(path), path }
}
