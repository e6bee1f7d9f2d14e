import type { KoaContextWithOIDC } from 'oidc-provider'
import { Provider } from './oidc-library.ts'

type Handler = Parameters<Provider['registerResponseMode']>[1]

/** The library registers its response modes when it is constructed, and has no option to leave one out. */
export class TwoModeProvider extends Provider {
  override registerResponseMode(name: string, handler: Handler): void {
    super.registerResponseMode(name, handlerOf(name, handler))
  }
}

function handlerOf(name: string, handler: Handler): Handler {
  if (name === 'fragment') return redirectWithQuery
  if (name !== 'form_post') return handler
  return (ctx, redirectUri, payload) => {
    allowToSubmitItself(ctx)
    return handler(ctx, redirectUri, payload)
  }
}

/** Only errors get here: the fragment mode, and response types that default to it, are refused. */
function redirectWithQuery(ctx: KoaContextWithOIDC, redirectUri: string, payload: Record<string, unknown>): void {
  const uri = new URL(redirectUri)
  for (const [name, value] of Object.entries(payload)) uri.searchParams.set(name, String(value))
  ctx.status = 303
  ctx.redirect(uri.href)
}

/**
 * The library adds the hash of the page's script to `script-src`. There is no `form-action`: Chromium applies it to every
 * redirect with which the website answers the form, which must stay possible.
 */
function allowToSubmitItself(ctx: KoaContextWithOIDC): void {
  ctx.set('content-security-policy', "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'")
}
