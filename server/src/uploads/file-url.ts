import type { UploadedFile } from '@portico/contract'

interface Named {
  readonly id: string
  readonly name: string
  readonly width: number | null
  readonly height: number | null
  readonly size: number
}

/** The address of a file, and the Markdown with which a message shows it. */
export function fileUrl({ id, name, width, height, size }: Named): Pick<UploadedFile, 'url' | 'markdown'> {
  const isPicture = width !== null && height !== null
  const url = `/files/${id}/${escaped(name)}?${isPicture ? `w=${width}&h=${height}` : `s=${size}`}`
  const text = name.replaceAll(/[[\]]/g, String.raw`\$&`)
  return { url, markdown: `${isPicture ? '!' : ''}[${text}](${url})` }
}

/** Parentheses would end a link in Markdown. */
function escaped(name: string): string {
  return encodeURIComponent(name).replaceAll(/[()'!*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
}
