import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { sdkArchive } from '../../config/sdk-archive.ts'
import type { Services } from '../../operations/services.ts'
import { serveFixed, type FixedFile } from '../fixed-file.ts'
import { PAGE_URLS } from './addresses.ts'
import { logo } from './logo.ts'
import type { ReferencePages } from './pages.ts'
import { sdkRoutes } from './sdk-routes.ts'

/** A page loads only its own style, script, icon and font, and calls only this portal. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Concatenated in this order. */
const STYLE = ['base', 'page', 'contents', 'guide', 'operations', 'code', 'try-it', 'narrow'].map(
  (name) => `style/${name}.css`,
)
const SCRIPTS = ['script', 'search', 'samples', 'try-it'].map((name) => `script/${name}.js`)

const PAGE = 'text/html; charset=utf-8'

/** The API reference, the guides of `docs/`, a search over both, and the SDK. */
export function referenceRoutes(app: FastifyInstance, services: Services): void {
  const { config, version } = services
  let loaded: Promise<ReferencePages> | undefined
  const load = async (): Promise<ReferencePages> => {
    const { referencePages } = await import('./pages.ts')
    return referencePages(config.PUBLIC_URL, version)
  }
  const pages = (): Promise<ReferencePages> => (loaded ??= load())
  const found = async (): Promise<string> => (await pages()).search()
  const files: readonly FixedFile[] = [
    ...PAGE_URLS.map((url) => ({ url, type: PAGE, content: async () => (await pages()).page(url) })),
    { url: '/docs/search.json', type: 'application/json; charset=utf-8', content: found },
    { url: '/docs/style.css', type: 'text/css; charset=utf-8', content: () => STYLE.map(readAsset).join('\n') },
    {
      url: '/docs/script.js',
      type: 'text/javascript; charset=utf-8',
      content: () => SCRIPTS.map(readAsset).join('\n'),
    },
    { url: '/docs/icon.svg', type: 'image/svg+xml', content: () => logo(64).markup },
    { url: '/docs/inter.woff2', type: 'font/woff2', content: font },
  ]
  for (const file of files) serveFixed(app, { ...file, headers: { 'content-security-policy': POLICY } })
  sdkRoutes(app, services, sdkArchive())
}

function readAsset(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

function font(): Buffer {
  const path = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
  return readFileSync(fileURLToPath(path))
}
