import type { FileLink } from './file-link.ts'

export type FileGroup =
  | { readonly kind: 'gallery'; readonly pictures: readonly FileLink[] }
  | { readonly kind: 'single'; readonly file: FileLink }

/** Pictures that follow each other become a gallery; everything keeps its order. */
export function groupFiles(files: readonly FileLink[]): FileGroup[] {
  const groups: FileGroup[] = []
  for (const file of files) {
    const previous = groups.at(-1)
    if (file.kind !== 'picture' || previous === undefined) groups.push({ kind: 'single', file })
    else if (previous.kind === 'gallery')
      groups.splice(-1, 1, { kind: 'gallery', pictures: [...previous.pictures, file] })
    else if (previous.file.kind === 'picture')
      groups.splice(-1, 1, { kind: 'gallery', pictures: [previous.file, file] })
    else groups.push({ kind: 'single', file })
  }
  return groups
}
