/** `node server/tooling/write-events.ts` writes docs/events.md; with `--check` it only says whether that is due. */
import { join } from 'node:path'
import { writeOrCheck } from './generated-file.ts'
import { EVENTS_GUIDE } from '../src/http/openapi/events-guide.ts'

const content = `# Events

${EVENTS_GUIDE}

This file is written by \`node server/tooling/write-events.ts\`.
`

await writeOrCheck([{ path: join(import.meta.dirname, '../../docs/events.md'), content }], import.meta.filename)
