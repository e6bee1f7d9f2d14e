import { paraglideVitePlugin } from '@inlang/paraglide-js'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'
import { messages } from './tooling/messages.ts'
import { noInlineStyle } from './tooling/no-inline-style.ts'
import { plainState } from './tooling/plain-state.ts'
import { strictPage } from './tooling/strict-page.ts'

const LIBRARIES = /node_modules[\\/](svelte|@tanstack|clsx)[\\/]/
const PAGED = /@tanstack[\\/].*(nfinite|ueriesObserver|createQueries)/
const OURS = /(contract[\\/]src|portal[\\/]src[\\/](ui|paraglide|accounts|appearance|shell))[\\/]/
const FORMS =
  /src[\\/](ui[\\/](Area|Card|Colonnade|Confirm|Dialog|Field|FormStack|Mark|Password|Picture|Problem|Segments|Select|Switch|form)|accounts[\\/](SetUp|Sign|name-and)|appearance[\\/](LocaleSwitch|ThemeSwitch)|paraglide[\\/]messages[\\/](name|password|role|theme|language|keys_title)(_|\.js))/

/**
 * What is shared by pages that come later only: rights, and the words of channel settings, of the cabinet, of
 * what is done to members and of sign-in for websites.
 */
const LATER =
  /contract[\\/]src[\\/](rights|scopes)|paraglide[\\/]messages[\\/](manage|rights?|audit|apps|mute|unmute|kick|move|nickname|reason|disconnect|channel_name|channel_description|picture|consent|sign_in_again|sign_in_error|settings|admin|keys?|notifications|voice|stream)(_|\.js)|ui[\\/](Ago|times)/

export default defineConfig({
  plugins: [
    paraglideVitePlugin(messages),
    plainState(),
    sveltekit({
      adapter: strictPage({ folder: 'build', page: 'index.html' }),
      preprocess: noInlineStyle(),
      paths: { relative: false },
      compilerOptions: { runes: ({ filename }) => !filename.includes('node_modules') || undefined },
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
            // What every page needs, in two files instead of thirty: fewer requests, and it packs better. What only
            // forms, dialogs and lists read page by page need comes with the first of those.
            { name: 'base', test: (id) => LIBRARIES.test(id) && !PAGED.test(id) },
            { name: 'shared', test: (id) => OURS.test(id) && !FORMS.test(id) && !LATER.test(id), minShareCount: 2 },
            { name: 'forms', test: FORMS, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/portal/v1', '/media', '/connection'].map((path) => [
        path,
        { target: process.env['PORTICO_URL'] ?? 'http://localhost:3000', ws: path === '/connection' },
      ]),
    ),
  },
})
