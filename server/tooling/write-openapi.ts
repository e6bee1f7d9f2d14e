/** `node server/tooling/write-openapi.ts` writes the OpenAPI documents in docs; with `--check` it only reports whether they are up to date. */
import { join } from 'node:path'
import { writeOrCheck } from './generated-file.ts'
import { programVersion } from '../src/config/program-version.ts'
import { botDocument, portalDocument } from '../src/http/documents.ts'

const DOCS = join(import.meta.dirname, '../../docs')

/** A placeholder for the PUBLIC_URL of the reader’s portal. */
const ADDRESS = 'https://chat.example'

const documents = { 'openapi.json': botDocument, 'portal-openapi.json': portalDocument }

await writeOrCheck(
  Object.entries(documents).map(([file, document]) => ({
    path: join(DOCS, file),
    content: `${JSON.stringify(document(ADDRESS, programVersion()), null, 2)}\n`,
  })),
  import.meta.filename,
)
