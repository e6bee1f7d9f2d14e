import type { OpenApi, SchemaObject } from '../openapi/document.ts'
import { html, type Html } from './html.ts'
import { inline } from './markdown.ts'

export interface Field {
  /** A dotted path, with `[]` after lists: `channels[].role.name`. */
  readonly name: string
  readonly required: boolean
  readonly description?: string | undefined
  readonly schema: SchemaObject
}

export function fieldTable(caption: string, fields: readonly Field[]): Html {
  return html`<table class="fields">
    <caption>
      ${caption}
    </caption>
    <colgroup>
      <col class="name" />
      <col />
    </colgroup>
    <thead class="unseen">
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Type, rules and meaning</th>
      </tr>
    </thead>
    <tbody>
      ${fields.map(row)}
    </tbody>
  </table>`
}

function row({ name, required, description, schema }: Field): Html {
  const rules = rulesOf(schema)
  const [, parent = '', own = name] = /^(.*[.\]])?([^.\]]+(?:\[\])?)$/.exec(name) ?? []
  return html`<tr>
    <th scope="row">
      <code><span class="parent">${parent}</span>${own}</code
      >${!required && html` <span class="optional">optional</span>`}
    </th>
    <td>
      <span class="type">${typeOf(schema)}</span
      >${rules.length > 0 && html` <span class="rules">${rules.join(' · ')}</span>`}
      ${description !== undefined && html`<p>${inline(description)}</p>`}
    </td>
  </tr>`
}

/** All fields of an object, with nested fields after their parent. */
export function fieldsOf(document: OpenApi, schema: SchemaObject, prefix = ''): Field[] {
  const { properties = {}, required = [], items } = resolve(document, schema)
  if (items) return fieldsOf(document, items, prefix)
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = resolve(document, property)
    const list = inner.type === 'array'
    const full = `${prefix}${name}${list ? '[]' : ''}`
    const field = { name: full, required: required.includes(name), description: inner.description, schema: inner }
    return [field, ...fieldsOf(document, inner, `${full}.`)]
  })
}

/** Resolves a reference; keywords next to it override those of the target. */
function resolve(document: OpenApi, schema: SchemaObject): SchemaObject {
  const [first] = schema.anyOf ?? []
  if (first) return { ...resolve(document, first), nullable: true }
  if (schema.$ref === undefined) return schema
  const { $ref, ...overrides } = schema
  return { ...document.components.schemas[$ref.replace('#/components/schemas/', '')], ...overrides }
}

function typeOf(schema: SchemaObject): string {
  const types = [schema.type ?? 'value'].flat()
  const nullable = types.includes('null') || schema['nullable'] === true
  const [type = 'value'] = types
  const shown = schema['format'] === 'uuid' ? 'uuid' : schema['format'] === 'date-time' ? 'timestamp' : type
  const named = shown === 'array' ? 'list' : shown
  return nullable ? `${named} or null` : named
}

function rulesOf(schema: SchemaObject): string[] {
  const rules: string[] = []
  const { minLength, maxLength, minimum, maximum, maxItems, enum: values, const: fixed } = schema
  if (typeof maxLength === 'number') rules.push(`${span(minLength, maxLength)} characters`)
  if (typeof minimum === 'number' && typeof maximum === 'number') rules.push(`${number(minimum)}–${number(maximum)}`)
  if (typeof maxItems === 'number') rules.push(`at most ${maxItems} items`)
  if (Array.isArray(values)) rules.push(values.join(', '))
  if (typeof fixed === 'string') rules.push(`always ${fixed}`)
  return rules
}

function span(min: unknown, max: number): string {
  return typeof min === 'number' && min > 0 ? `${min}–${number(max)}` : `up to ${number(max)}`
}

/** Groups digits by three from five digits on, with a non-breaking space. */
function number(value: number): string {
  return value < 10_000 ? String(value) : String(value).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
}
