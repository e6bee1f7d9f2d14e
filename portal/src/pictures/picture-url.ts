/** The URL of an uploaded picture; undefined for initials, which are drawn in the page. */
export function pictureUrl(file: string | undefined, version: number | undefined): string | undefined {
  return file?.endsWith('.webp') ? `/media/avatars/${file}?v=${version ?? 0}` : undefined
}
