import { Type, type Static } from 'typebox'
import { FileId, RoomId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { created, operation } from './operation.ts'
import { Count, named, Text } from './schema.ts'

/** Text that contains this may refer to files; any other text certainly doesn't. */
export const FILES_PATH = '/files/'

const FILE_URL = /\/files\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\//gi

/** The ids of the files whose addresses are in a text, up to the limit. */
export function fileIdsIn(text: string): string[] {
  if (!text.includes(FILES_PATH)) return []
  const ids = new Set([...text.matchAll(FILE_URL)].map(([, id = '']) => id.toLowerCase()))
  return [...ids].slice(0, LIMITS.filesOfMessage)
}

export type UploadedFile = Static<typeof UploadedFile>
export const UploadedFile = named(
  'UploadedFile',
  Type.Object({
    id: FileId,
    name: Type.String({
      description: 'The name that was sent, without what no file system accepts',
      examples: ['floor plan.png'],
    }),
    type: Type.String({ description: 'Found out from the content', examples: ['image/png'] }),
    size: { ...Count, description: 'In bytes', examples: [184_320] },
    width: Type.Optional({ ...Count, description: 'Of a picture that has a preview', examples: [1600] }),
    height: Type.Optional({ ...Count, description: 'Of a picture that has a preview', examples: [900] }),
    url: Type.String({
      description: 'Below the address of the portal. Of a picture, with its width and height as `w` and `h`',
      examples: [`/files/${FileId.examples[0]}/floor%20plan.png?w=1600&h=900`],
    }),
    markdown: Type.String({
      description: 'What a message shows the file with: a picture, or a link',
      examples: [`![floor plan.png](/files/${FileId.examples[0]}/floor%20plan.png?w=1600&h=900)`],
    }),
  }),
)

export const uploadFile = operation({
  at: 'POST /rooms/:roomId/files',
  summary: 'Upload a file to a text room',
  description:
    'The body is the file itself. `Content-Length` is required; `Content-Type` doesn’t matter, because the type is detected from the content. Send a message that contains `markdown` to show the file: until then only you can fetch it, and after a day it is deleted, or after an hour if its space is needed.',
  by: 'member',
  scope: 'messages:write',
  quota: 'write',
  access: { room: ['text'], roomOfPeople: ['stream', 'voice'], right: 'write_text_room' },
  refusals: ['fileTooLarge', 'storageFull', 'ownStorageFull'],
  takes: 'file',
  input: Type.Object({
    roomId: { ...RoomId, description: 'A text room' },
    name: Text(1, LIMITS.fileName, { description: 'The name of the file', examples: ['floor plan.png'] }),
  }),
  output: created(UploadedFile),
})
