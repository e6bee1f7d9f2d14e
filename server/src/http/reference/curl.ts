import type { OperationObject } from '../openapi/document.ts'

export interface Route {
  readonly method: string
  readonly path: string
  readonly operation: OperationObject
}

/** The route's example as a command to paste, with the key in PORTICO_KEY, or a user token in PORTICO_TOKEN. */
export function curl(base: string, { method, path, operation }: Route): string {
  const parameters = operation.parameters ?? []
  const place = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), base + path)
  const query = new URLSearchParams(
    parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name, example }): [string, string] => [name, String(example)]),
  )
  const body = operation.requestBody?.content['application/json']?.example
  const isFile = takesFile(operation)
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${query.size > 0 ? quoted(`${place}?${query.toString()}`) : place}`,
    `-H "Authorization: ${operation.security?.some((one) => 'signIn' in one) ? 'Bearer $PORTICO_TOKEN' : 'Bot $PORTICO_KEY'}"`,
    ...parameters
      .filter((parameter) => parameter.in === 'header')
      .map(({ name, example }) => `-H ${quoted(`${name}: ${String(example)}`)}`),
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d ${quoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
        ]),
    ...(isFile ? [`--data-binary ${quoted(`@${query.get('name')}`)}`] : []),
  ]
  return lines.join(' \\\n  ')
}

/** Whether the body is a file, not JSON. */
export function takesFile({ requestBody }: OperationObject): boolean {
  return requestBody?.content['application/octet-stream'] !== undefined
}

/** A shell expands nothing within single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll(`'`, `'\\''`)}'`
}
