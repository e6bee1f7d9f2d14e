import type { SchemaObject } from './document.ts'

/**
 * The schema's own example, or one composed of the examples of its required fields or items. Undefined if one of those
 * has no example: an invented value would explain nothing.
 */
export function exampleOf(schema: SchemaObject): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0]
  if (schema.properties) {
    const { properties, required = [] } = schema
    return exampleFields(Object.entries(properties).filter(([name]) => required.includes(name)))
  }
  const item = schema.items && exampleOf(schema.items)
  return item === undefined ? undefined : [item]
}

export function exampleFields(fields: readonly (readonly [string, SchemaObject])[]): object | undefined {
  const values = fields.map(([name, field]) => [name, exampleOf(field)] as const)
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
}
