/** `node server/tooling/write-settings.ts` writes docs/settings.md; with `--check` it only reports whether the file is up to date. */
import { join } from 'node:path'
import { SETTINGS } from '../src/config/config.ts'
import { SECRET_FILES } from '../src/config/secret-files.ts'
import { writeOrCheck } from './generated-file.ts'

const rows = Object.entries(SETTINGS).map(
  ([name, { about, fallback, expected }]) => `| \`${name}\` | ${about}. | ${expected} | ${shown(fallback)} |`,
)

const content = `# Settings

Settings are environment variables. All are optional: by default Portico serves on \`http://localhost:3000\` and stores
everything in \`./data\`. Invalid settings are reported and stop the start; \`npx portico doctor\` checks whether the settings
work. An empty value counts as not set.

A secret can be in a file instead, as Docker and Kubernetes mount them: \`PORTICO_SECRET_FILE\` is the path of a file with the value
of \`PORTICO_SECRET\`. The same goes for ${list(SECRET_FILES)}.

| Setting | Description | Expected | Default |
|---|---|---|---|
${rows.join('\n')}

This file is generated from \`server/src/config/config.ts\` by \`node server/tooling/write-settings.ts\`.
`

await writeOrCheck([{ path: join(import.meta.dirname, '../../docs/settings.md'), content }], import.meta.filename)

function list(files: readonly string[]): string {
  const others = files.map((file) => `\`${file.replace(/_FILE$/, '')}\``).filter((name) => name !== '`PORTICO_SECRET`')
  return `${others.slice(0, -1).join(', ')} and ${others.at(-1)}`
}

/** A default in brackets is a description, not a value. */
function shown(fallback: string): string {
  return fallback.startsWith('(') ? fallback.slice(1, -1) : `\`${fallback}\``
}
