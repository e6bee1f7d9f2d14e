import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../../operations/services.ts'
import { botDocument } from '../documents.ts'
import { serveFixed } from '../fixed-file.ts'
import { logo } from './logo.ts'
import { referencePage } from './page.ts'

/** The page loads only its own style, script, icon and font. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Concatenated in this order. */
const STYLE = ['base', 'page', 'contents', 'guide', 'operations', 'code', 'narrow'].map((name) => `style/${name}.css`)

/** The API reference page. */
export function referenceRoutes(app: FastifyInstance, { config, version }: Services): void {
  const page = (): string => referencePage(botDocument(config.PUBLIC_URL, version))
  const files = [
    { url: '/docs', type: 'text/html; charset=utf-8', content: page },
    { url: '/docs/style.css', type: 'text/css; charset=utf-8', content: () => STYLE.map(readAsset).join('\n') },
    { url: '/docs/script.js', type: 'text/javascript; charset=utf-8', content: () => readAsset('script.js') },
    { url: '/docs/icon.svg', type: 'image/svg+xml', content: () => logo(64).markup },
    { url: '/docs/inter.woff2', type: 'font/woff2', content: font },
  ]
  for (const file of files) serveFixed(app, { ...file, headers: { 'content-security-policy': POLICY } })
}

function readAsset(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

function font(): Buffer {
  const path = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
  return readFileSync(fileURLToPath(path))
}
