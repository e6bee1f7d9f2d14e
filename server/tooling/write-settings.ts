/** `node server/tooling/write-settings.ts` writes docs/settings.md; with `--check` it only says whether that is due. */
import { join } from 'node:path'
import { SETTINGS } from '../src/config/config.ts'
import { writeOrCheck } from './generated-file.ts'

const rows = Object.entries(SETTINGS).map(
  ([name, { about, fallback, expected }]) => `| \`${name}\` | ${about}. | ${expected} | ${shown(fallback)} |`,
)

const content = `# Settings

Settings are environment variables. Nothing has to be set: without any, Portico serves on
\`http://localhost:3000\` and keeps everything in \`./data\`. A setting that does not fit keeps the program from
starting and is named; \`npx portico doctor\` checks what they lead to. An empty value counts as not set.

| Setting | What it does | Expected | Default |
|---|---|---|---|
${rows.join('\n')}

This file is written from \`server/src/config/config.ts\` by \`node server/tooling/write-settings.ts\`.
`

await writeOrCheck([{ path: join(import.meta.dirname, '../../docs/settings.md'), content }], import.meta.filename)

/** Values stand as code; what is no value, in brackets, as words. */
function shown(fallback: string): string {
  return fallback.startsWith('(') ? fallback.slice(1, -1) : `\`${fallback}\``
}
