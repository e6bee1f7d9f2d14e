import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtChunks, CHAT_ROUTES, SIGN_IN_ROUTES } from './built-chunks.ts'

const WORKER = 'service-worker.js'
const SHELL = "const SHELL = { version: '', files: [] }"

/** Shown instead of a page whose files aren't stored. */
const ERROR_ROUTE = 'src/routes/+error.svelte'
/** Pages that say what they can't show without a connection. */
const OTHER_ROUTES = [
  'src/routes/(app)/+page.svelte',
  'src/routes/(app)/c/[channelId]/+page.svelte',
  'src/routes/(app)/explore/+page.svelte',
  'src/routes/(app)/settings/[[section]]/+page.svelte',
  'src/routes/(app)/administration/[[section]]/+page.svelte',
  'src/routes/(app)/apps/[[applicationId]]/[[section]]/[[deliveryId]]/+page.svelte',
]
/** Loaded lazily by the chat page, and loads more itself: see vite.config.ts. */
const GROUPS = ['markdown', 'room']
/** Too large for what they are worth without a connection. */
const LEFT_OUT = new Set(['src/emoji/EmojiPicker.svelte', 'src/emoji/emoji-data.ts', 'src/voice/JoinedRoom.svelte'])
const FONTS = ['latin', 'cyrillic'].map(
  (letters) => `../node_modules/@fontsource-variable/inter/files/inter-${letters}-wght-normal.woff2`,
)

/** Gives the service worker the list of files with which the portal opens without a connection. */
export async function writeShell(folder: string, html: string): Promise<void> {
  const source = await readFile(join(folder, WORKER), 'utf8')
  if (!source.includes(SHELL)) throw new Error(`${WORKER} has no list of files`)
  const files = await shellFiles(html)
  const version = createHash('sha256').update(html).update(files.join()).digest('base64url').slice(0, 8)
  const shell = JSON.stringify({ version, files })
  await writeFile(
    join(folder, WORKER),
    source.replace(SHELL, () => `const SHELL = ${shell}`),
  )
}

/** What rooms, the sign-in page and the error page need, also what they load later, and the frames of the other pages. */
async function shellFiles(html: string): Promise<string[]> {
  const chunks = await builtChunks()
  const filesOf = async (routes: readonly string[]): Promise<string[]> =>
    (await Promise.all(routes.map(chunks.filesOfRoute))).flat()
  const named = [...html.matchAll(/"\/(_app\/immutable\/[^"]+)"/g)].flatMap(([, file]) => file ?? [])
  const routes = [...CHAT_ROUTES, ...SIGN_IN_ROUTES, ERROR_ROUTE]
  const main = [...(await filesOf(routes)), ...GROUPS.flatMap(chunks.filesOf)]
  const later = chunks.lazilyLoadedBy(main).filter((source) => !LEFT_OUT.has(source))
  const others = await filesOf(OTHER_ROUTES)
  const files = [...named, ...named.flatMap(chunks.filesWith), ...main, ...later.flatMap(chunks.filesOf), ...others]
  return [...new Set([...files, ...FONTS.map(chunks.fileOf)])].map((file) => `/${file}`).toSorted()
}
