import { EMOJI_PATTERN, HTTP_URL_PATTERN, HTTPS_URL_PATTERN } from '@portico/contract'
import type { SchemaObject } from './document.ts'

/** Which API a document describes: fields only for the portal are hidden from bots. */
export type Audience = 'bots' | 'portal'

/** The validator's own formats, with equivalent patterns. */
const OWN_FORMATS = new Map<unknown, { readonly pattern?: string }>([
  ['text', {}],
  ['name', {}],
  ['emoji', { pattern: EMOJI_PATTERN }],
  ['http-url', { pattern: HTTP_URL_PATTERN }],
  ['https-url', { pattern: HTTPS_URL_PATTERN }],
])

/** Converts the contract's schemas for one document and collects the named ones. */
export class Schemas {
  readonly #audience: Audience
  readonly #named = new Map<string, SchemaObject>()

  constructor(audience: Audience) {
    this.#audience = audience
  }

  /** A named schema becomes a reference; internal keywords are removed. */
  publish(schema: object): SchemaObject {
    const { title, type, ...open }: SchemaObject = this.#open({ ...schema })
    if (typeof title !== 'string') return { ...(type !== undefined && { type }), ...open }

    const [plainType, nullable] = Array.isArray(type) ? [String(type[0]), true] : [type, false]
    const { examples: _examples, ...named } = open
    const known = this.#named.get(title) ?? { ...(plainType !== undefined && { type: plainType }), ...named }
    this.#named.set(title, known)
    const differs = open.description !== undefined && open.description !== known.description
    const reference = {
      $ref: `#/components/schemas/${title}`,
      ...(differs && { description: open.description }),
    }
    return nullable ? { anyOf: [reference, { type: 'null' }] } : reference
  }

  /** The fields that this document's callers see. */
  fieldsOf(schema: object): readonly [name: string, field: SchemaObject][] {
    const { properties = {} }: SchemaObject = { ...schema }
    return Object.entries(properties).filter(([, field]) => this.#audience === 'portal' || field['portalOnly'] !== true)
  }

  named(): Record<string, SchemaObject> {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => a.localeCompare(b)))
  }

  #open(schema: SchemaObject): SchemaObject {
    const { rule: _rule, check: _check, portalOnly: _portalOnly, format, properties, items, ...rest } = schema
    return {
      ...rest,
      ...(format !== undefined && (OWN_FORMATS.get(format) ?? { format })),
      ...(properties && {
        properties: Object.fromEntries(this.fieldsOf(schema).map(([name, field]) => [name, this.publish(field)])),
      }),
      ...(items && { items: this.publish(items) }),
    }
  }
}
