import type { Route } from './curl.ts'
import { html, type Html } from './html.ts'

/**
 * A form that sends the request to this portal. The script fills it with life, and shows it: without the script it is hidden.
 * The key is in the page's memory only.
 */
export function tryIt({ method, path, operation }: Route): Html {
  const { operationId: id } = operation
  const parameters = (operation.parameters ?? []).filter(
    (parameter) => parameter.in === 'path' || (parameter.in === 'query' && method === 'GET'),
  )
  const body = operation.requestBody?.content['application/json']?.example
  return html`<details class="try" data-method="${method}" data-path="/api/v1${path}" hidden>
    <summary>Try it</summary>
    <form>
      <label for="${id}-key">Your key or user token</label>
      <input id="${id}-key" name="key" type="password" autocomplete="off" required aria-describedby="${id}-key-note" />
      <p class="note" id="${id}-key-note">Kept in the memory of this page, and gone when you leave it.</p>
      ${parameters.map(
        (parameter) =>
          html`<label for="${id}-${parameter.name}">${parameter.name}</label>
            <input
              id="${id}-${parameter.name}"
              name="${parameter.name}"
              data-in="${parameter.in}"
              placeholder="${exampleOf(parameter)}"
              autocomplete="off"
              spellcheck="false"
              ${parameter.in === 'path' || parameter.required ? html`required` : html``}
            />`,
      )}
      ${
        body !== undefined &&
        html`<label for="${id}-body">Body</label>
          <textarea id="${id}-body" name="body" rows="6" spellcheck="false">${JSON.stringify(body, null, 2)}</textarea>`
      }
      <button>Send ${method}</button>
      <div class="answer" role="status"></div>
    </form>
  </details>`
}

/** Parameters are ids, numbers and words. */
function exampleOf({ example }: { readonly example?: unknown }): string {
  return typeof example === 'string' || typeof example === 'number' ? String(example) : ''
}
