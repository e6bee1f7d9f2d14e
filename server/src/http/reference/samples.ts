import { curl, takesFile, type Route } from './curl.ts'

/** The same request in several languages. */
export interface Sample {
  readonly language: string
  readonly code: string
}

export function samplesOf(base: string, route: Route): Sample[] {
  return [
    { language: 'curl', code: curl(base, route) },
    { language: 'TypeScript', code: typescript(base, route) },
    { language: 'Python', code: python(base, route) },
  ]
}

/** With the SDK: the fields of path, query and body are one object. */
function typescript(base: string, { operation }: Route): string {
  const input = { ...inputsIn(operation, 'path'), ...inputsIn(operation, 'query'), ...bodyOf(operation) }
  const isUser = needsUserToken(operation)
  const credential = isUser ? 'userToken: process.env.PORTICO_TOKEN' : 'key: process.env.PORTICO_KEY'
  const fields = Object.keys(input).length > 0 ? objectLiteral(input) : ''
  const argument = takesFile(operation) ? fields.replace(/\n\}$/, `,\n  file: new Blob(['its content']),\n}`) : fields
  return [
    `import { Client } from '@portico/sdk'`,
    '',
    `const client = new Client({ url: '${new URL(base).origin}', ${credential} })`,
    `await client.${operation.operationId}(${argument})`,
  ].join('\n')
}

function python(base: string, { method, path, operation }: Route): string {
  const place = Object.entries(inputsIn(operation, 'path')).reduce(
    (url, [name, value]) => url.replace(`{${name}}`, String(value)),
    base + path,
  )
  const query = inputsIn(operation, 'query')
  const body = bodyOf(operation)
  const header = needsUserToken(operation) ? `Bearer {os.environ['PORTICO_TOKEN']}` : `Bot {os.environ['PORTICO_KEY']}`
  const lines = [
    `"${method}"`,
    `"${place}"`,
    `headers={"Authorization": f"${header}"}`,
    ...(Object.keys(query).length > 0 ? [`params=${pythonValue(query)}`] : []),
    ...(Object.keys(body).length > 0 ? [`json=${pythonValue(body)}`] : []),
    ...(takesFile(operation) ? [`content=open("${String(query['name'])}", "rb").read()`] : []),
  ]
  return `import os\nimport httpx\n\nresponse = httpx.request(\n${lines.map((line) => `    ${line},\n`).join('')})\nresponse.raise_for_status()`
}

type Operation = Route['operation']

/** Of the optional parameters, none. */
function inputsIn({ parameters = [] }: Operation, place: 'path' | 'query'): Record<string, unknown> {
  return Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === place && (place === 'path' || parameter.required))
      .map(({ name, example }) => [name, example]),
  )
}

function bodyOf({ requestBody }: Operation): object {
  const example = requestBody?.content['application/json']?.example
  return typeof example === 'object' && example !== null ? example : {}
}

export function needsUserToken({ security }: Operation): boolean {
  return security?.some((one) => 'signIn' in one) === true
}

/** JSON is JavaScript; without the quotes of names and with single quotes it is how one writes it. */
function objectLiteral(value: object): string {
  return JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([a-z]\w*)":/gim, '$1$2:')
    .replaceAll(/"((?:[^"\\']|\\[^"u'])*)"/g, `'$1'`)
}

function pythonValue(value: object): string {
  return JSON.stringify(value, null, 4)
    .replaceAll(/: (true|false|null)(?=,?$)/gm, (_, word: string) => `: ${PYTHON_WORDS[word]}`)
    .replaceAll('\n', '\n    ')
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }
