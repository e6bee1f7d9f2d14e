import type { CallOptions } from '../client/call-options.ts'
import type { Client } from '../client/client.ts'

/** A file to upload. */
export interface NewFile {
  /** Such as `report.pdf`. */
  readonly name: string
  /** The content; a string is a text. */
  readonly file: Blob | Uint8Array | string
}

/** Uploads the files to the room. Returns the text followed by them, in a paragraph of their own. */
export async function withFiles(
  client: Client,
  roomId: string,
  text: string,
  files: readonly NewFile[] = [],
  { signal }: CallOptions,
): Promise<string> {
  if (files.length === 0) return text
  const written: string[] = []
  for (const { name, file } of files) {
    const blob = file instanceof Blob ? file : new Blob([file])
    written.push((await client.uploadFile({ roomId, name, file: blob }, { signal })).markdown)
  }
  return [text.trimEnd(), written.join('\n')].filter((part) => part !== '').join('\n\n')
}
