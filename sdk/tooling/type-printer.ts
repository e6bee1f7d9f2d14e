/** The part of JSON Schema that the OpenAPI document of the bot API uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  /** Of an object whose properties have any names. */
  readonly additionalProperties?: Schema
}

/** Prints a schema as a TypeScript type. */
export function printType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const types = Array.isArray(schema.type) ? (schema.type as string[]) : [String(schema.type)]
  return types.map((type) => printSimple(type, schema)).join(' | ')
}

function printSimple(type: string, schema: Schema): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
      return schema.format === 'binary' ? 'Blob' : type
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return `${asElement(printType(schema.items ?? {}))}[]`
    case 'object':
      if (schema.additionalProperties) return `Record<string, ${printType(schema.additionalProperties)}>`
      return `{\n${printProperties(schema)}\n}`
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`)
  }
}

/** The properties of an object, one per line, with their descriptions. */
export function printProperties({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const mark = required.includes(name) ? '' : '?'
      return `${comment(schema.description)}${name}${mark}: ${printType(schema)}`
    })
    .join('\n')
}

export function comment(text: string | undefined): string {
  if (text === undefined || text === '') return ''
  return text.includes('\n') ? `/**\n${text.replaceAll(/^/gm, ' * ')}\n */\n` : `/** ${text} */\n`
}

function asElement(type: string): string {
  return type.includes(' | ') ? `(${type})` : type
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}
