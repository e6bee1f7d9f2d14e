import { paraglideVitePlugin } from '@inlang/paraglide-js'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'
import { reachableModules, type ReachableModules } from './tooling/first-load.ts'
import { messages } from './tooling/messages.ts'
import { noInlineStyle } from './tooling/no-inline-style.ts'
import { operationRoutes } from './tooling/operation-routes.ts'
import { plainState } from './tooling/plain-state.ts'
import { shortHistory } from './tooling/short-history.ts'
import { smallLocale } from './tooling/small-locale.ts'
import { strictPage } from './tooling/strict-page.ts'

const firstLoad = reachableModules('first-load', [
  'runtime/client/entry.js',
  'src/routes/+layout.svelte',
  // SvelteKit loads the error page at every start.
  'src/routes/+error.svelte',
  'src/routes/(app)/+layout.svelte',
  'src/routes/(app)/c/[channelId]/[roomId]/[[messageId]]/+page.svelte',
])
/** Loaded with the first form or dialog. */
const forms = reachableModules('forms', [
  'src/ui/Confirm.svelte',
  'src/accounts/PasswordField.svelte',
  'src/pictures/PictureField.svelte',
  'src/ui/SegmentedControl.svelte',
  'src/ui/Select.svelte',
  'src/ui/Switch.svelte',
  'src/ui/TextArea.svelte',
  'src/accounts/SignInForm.svelte',
  'src/accounts/SignUpForm.svelte',
])
/** Loaded with the first message. */
const markdown = reachableModules('markdown', ['src/markdown/Markdown.svelte'])
/** Loaded by the sign-in page and others for visitors. */
const visitors = reachableModules('visitors', [
  'src/routes/(open)/+layout.svelte',
  'src/routes/(open)/sign-in/+page.svelte',
])
/** Loaded right after a room is shown. */
const room = reachableModules('room', [
  'src/commands/CommandButton.svelte',
  'src/completion/Completion.svelte',
  'src/first-steps/FirstSteps.svelte',
  'src/shell/follow-events.ts',
  'src/members/MembersPanel.svelte',
  'src/messages/Composer.svelte',
  'src/messages/ConversationOverlays.svelte',
  'src/messages/JumpButtons.svelte',
  'src/messages/list-keys.ts',
  'src/messages/listen-for-long-press.ts',
  'src/messages/menu-at.ts',
  'src/messages/MessageAnnouncer.svelte',
  'src/messages/OfflineBanner.svelte',
  'src/messages/RoomFailed.svelte',
  'src/messages/UnsentNotice.svelte',
  'src/offline/open-copy.ts',
  'src/shell/sidebar/AddRoom.svelte',
  'src/shell/RoomHeaderActions.svelte',
  'src/shell/RoomHeaderMenu.svelte',
  'src/shell/Aside.svelte',
  'src/shell/rail/RailSorting.svelte',
  'src/shell/ShellDialogs.svelte',
  'src/shell/shortcuts/GlobalShortcuts.svelte',
])
/** Without infinite queries, which only panels use that are loaded when they are opened. */
const LIBRARIES = /node_modules[\\/](?:svelte|@tanstack|virtua|clsx)[\\/](?!.*(?:infinite|queries))/i
const OWN = /(?:portal|contract)[\\/]src[\\/](?!routes)/

/** A module is in one chunk: in that of the pages that need it first. */
const isOfNone = (id: string, ...sets: readonly ReachableModules[]): boolean => !sets.some((set) => set.has(id))

/** What `npm run dev` forwards to the server. The page of a website's sign-in is the portal's; what it requests is not. */
const SERVER_PATHS = [
  '/portal/v1',
  '/api/v1',
  '/media',
  '/files',
  '/connection',
  '/rtc',
  '/docs',
  '/.well-known',
  String.raw`^/oauth/(?!interaction/[^/?]+(?:\?|$))`,
]

const SOCKET_PATHS = new Set(['/connection', '/rtc'])

export default defineConfig({
  plugins: [
    firstLoad.plugin,
    forms.plugin,
    markdown.plugin,
    room.plugin,
    visitors.plugin,
    smallLocale(),
    paraglideVitePlugin(messages),
    operationRoutes(),
    plainState(),
    shortHistory(),
    sveltekit({
      adapter: strictPage({ folder: 'build', page: 'index.html' }),
      preprocess: noInlineStyle(),
      paths: { relative: false },
      compilerOptions: {
        runes: ({ filename }) => !filename.includes('node_modules') || undefined,
        // The hash occurs many times: half its length saves a kilobyte.
        cssHash: ({ hash, filename }) => `s${hash(filename).slice(0, 5)}`,
      },
    }),
  ],
  build: {
    // Inlined assets would be `data:` URLs, which the Content Security Policy doesn't allow for fonts.
    assetsInlineLimit: 0,
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // All of SvelteKit reads this while it is loaded, so it must be set before, in a chunk of its own. Otherwise the
            // portal doesn't know its own version and requests pages that don't exist over and over.
            { name: 'payload', test: /runtime[\\/]client[\\/]payload\.js$|preload-helper/, priority: 1 },
            // What every page needs, in two files instead of thirty: fewer requests and better compression.
            { name: 'base', test: (id) => firstLoad.has(id) && LIBRARIES.test(id) },
            { name: 'chat', test: (id) => firstLoad.has(id) && OWN.test(id) },
            { name: 'forms', test: (id) => forms.has(id) && !firstLoad.has(id) && OWN.test(id), minShareCount: 2 },
            { name: 'markdown', test: (id) => markdown.has(id) && isOfNone(id, forms, firstLoad) && OWN.test(id) },
            { name: 'room', test: (id) => room.has(id) && isOfNone(id, markdown, forms, firstLoad) && OWN.test(id) },
            {
              name: 'visitors',
              test: (id) => visitors.has(id) && isOfNone(id, room, forms, firstLoad) && OWN.test(id),
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      SERVER_PATHS.map((path) => [
        path,
        { target: process.env['PORTICO_URL'] ?? 'http://localhost:3000', ws: SOCKET_PATHS.has(path) },
      ]),
    ),
  },
})
