import type { PreprocessorGroup } from 'svelte/compiler'

/** One that begins with an expression is set by script, which the policy allows. */
const STYLE_ATTRIBUTE = /\sstyle="(?!\{)[^"]*"/g
const KIT_ROOT = '@sveltejs/kit/src/runtime/components/root.svelte'

/**
 * With `style-src 'self'` the browser ignores style attributes in templates. SvelteKit hides its announcer with one:
 * base.css does it instead. In any other component the attribute fails the build. See
 * docs/decisions/0019-sveltekit-at-build-time.md.
 */
export function noInlineStyle(): PreprocessorGroup {
  return {
    name: 'portico-no-inline-style',
    markup({ content, filename = '' }) {
      const found = content.match(STYLE_ATTRIBUTE) ?? []
      if (!filename.replaceAll('\\', '/').endsWith(KIT_ROOT)) {
        if (found.length > 0) throw new Error(`${filename} has a style attribute; use a class or a style: directive`)
        return undefined
      }
      if (found.length !== 1) throw new Error(`Expected one style attribute in ${KIT_ROOT}, found ${found.length}`)
      return { code: content.replace(STYLE_ATTRIBUTE, '') }
    },
  }
}
