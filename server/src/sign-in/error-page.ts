import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { PORTAL_BUILD } from '../http/portal-files.ts'

/** The pages for browsers. All other endpoints are called by programs. */
const PAGES = new Set(['authorization', 'resume'])

const HEAD = '</head>'

/**
 * Shown when a sign-in fails and there is no trusted redirect URI: the portal's page with the error, without a redirect.
 * Programs get JSON, whatever they accept.
 */
export function errorPage(): (ctx: KoaContextWithOIDC, out: ErrorOut) => void {
  const file = join(PORTAL_BUILD, 'index.html')
  const page = existsSync(file) ? readFileSync(file, 'utf8') : `<!doctype html><html><head>${HEAD}</html>`
  return (ctx, out) => {
    if (!PAGES.has(ctx.oidc.route)) {
      ctx.body = out
      return
    }
    const { error, error_description: description = '' } = out
    ctx.type = 'html'
    ctx.body = page.replace(
      HEAD,
      () => `${meta('sign-in-error', error)}${meta('sign-in-error-description', description)}${HEAD}`,
    )
  }
}

function meta(name: string, content: string): string {
  return `<meta name="${name}" content="${escaped(content)}" />`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
