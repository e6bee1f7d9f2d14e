/** Where an uploaded picture is; undefined for initials, which are drawn on the spot. */
export function pictureUrl(file: string | undefined, version: number | undefined): string | undefined {
  return file?.endsWith('.webp') ? `/media/avatars/${file}?v=${version ?? 0}` : undefined
}
