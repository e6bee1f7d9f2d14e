import { createHash } from 'node:crypto'
import { archive, type PackedFile } from './archive.ts'

export interface Packed {
  readonly version: string
  /** Its package.json. */
  readonly manifest: string
  readonly bytes: Buffer
  /** As in a lockfile. */
  readonly integrity: string
}

/** Packs these files as this version. */
export type Pack = (version: string) => Packed

export function packer(files: readonly PackedFile[], manifest: (version: string) => object): Pack {
  return (version) => {
    const text = `${JSON.stringify(manifest(version), null, 2)}\n`
    const bytes = archive([...files, { path: 'package.json', text }])
    return {
      version,
      manifest: text,
      bytes,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    }
  }
}

/**
 * One version is always the same bytes: what was released has its version, and its checksum is recorded. Everything else is a
 * development version of its own, named after its content.
 */
export function packVersion(pack: Pack, version: string, released: Readonly<Record<string, string>>): Packed {
  const packed = pack(version)
  if (released[version] === packed.integrity) return packed
  const hash = createHash('sha256').update(packed.bytes).digest('hex').slice(0, 12)
  return pack(`${version}-dev-${hash}`)
}
