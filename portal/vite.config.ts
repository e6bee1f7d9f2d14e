import { paraglideVitePlugin } from '@inlang/paraglide-js'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'
import { firstLoad } from './tooling/first-load.ts'
import { messages } from './tooling/messages.ts'
import { noInlineStyle } from './tooling/no-inline-style.ts'
import { operationRoutes } from './tooling/operation-routes.ts'
import { plainState } from './tooling/plain-state.ts'
import { shortHistory } from './tooling/short-history.ts'
import { strictPage } from './tooling/strict-page.ts'

const first = firstLoad([
  'runtime/client/entry.js',
  'src/routes/+layout.svelte',
  'src/routes/(app)/+layout.svelte',
  'src/routes/(app)/c/[channelId]/[roomId]/[[messageId]]/+page.svelte',
])
/** Lists that are loaded page by page stand beside the conversation, and come when they are opened. */
const LIBRARIES = /node_modules[\\/](?:svelte|@tanstack|virtua|clsx)[\\/](?!.*(?:infinite|queries))/i
const OWN = /(?:portal|contract)[\\/]src[\\/](?!routes)/
/** What only forms and dialogs need comes with the first of them. */
const FORMS =
  /src[\\/](ui[\\/](Card|Confirm|Dialog|Field|Form(Control|Dialog|Error|Stack)|Logo|Password|Picture|SegmentedControl|Select|Switch|TextArea|form)|accounts[\\/](SetUp|Sign|validate)|appearance[\\/](LocaleSwitch|ThemeSwitch)|paraglide[\\/]messages[\\/](name|password|role|theme|language|keys_title)(_|\.js))/

/** What `npm run dev` forwards to the server. The page of a website's sign-in is the portal's; what it requests is not. */
const SERVER_PATHS = [
  '/portal/v1',
  '/api/v1',
  '/media',
  '/connection',
  '/docs',
  '/.well-known',
  String.raw`^/oauth/(?!interaction/[^/?]+(?:\?|$))`,
]

export default defineConfig({
  plugins: [
    first.plugin,
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
        // Each is written out many times: half as long is a kilobyte less.
        cssHash: ({ hash, filename }) => `s${hash(filename).slice(0, 5)}`,
      },
    }),
  ],
  build: {
    // Inlined assets would be `data:` addresses, which the content security policy does not allow for fonts.
    assetsInlineLimit: 0,
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Read by all of SvelteKit when it is loaded, so what sets it must come before and alone. Together with the
            // rest, the portal would not know its own version and load pages that do not exist again and again.
            { name: 'payload', test: /runtime[\\/]client[\\/]payload\.js$|preload-helper/, priority: 1 },
            // What every page needs, in two files instead of thirty: fewer requests, and it packs better.
            { name: 'base', test: (id) => first.has(id) && LIBRARIES.test(id) },
            { name: 'chat', test: (id) => first.has(id) && OWN.test(id) },
            { name: 'forms', test: (id) => first.isLeftOut(id) && FORMS.test(id), minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      SERVER_PATHS.map((path) => [
        path,
        { target: process.env['PORTICO_URL'] ?? 'http://localhost:3000', ws: path === '/connection' },
      ]),
    ),
  },
})
