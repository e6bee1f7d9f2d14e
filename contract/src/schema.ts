import { Type, type Static, type TSchema, type TUnsafe } from 'typebox'

/** Keywords of our own, next to JSON Schema's. They describe; they never validate. */
export interface Notes {
  description?: string
  /** How a refusal of this field reads after its name: "text: must be 1–4000 characters". */
  rule?: string
  /** The server's check of what JSON Schema can't say. */
  check?: 'card' | 'cards' | 'component' | 'components' | 'option' | 'options'
  examples?: unknown[]
  /** Never sent to bots, and left out of the API reference. */
  portalOnly?: true
}

/** Gives a schema a name in the API reference. */
export function named<S extends TSchema>(name: string, schema: S): S {
  return { ...schema, title: name }
}

/** A value that may be null, as one schema with two types: cheaper to serialize than a union of two schemas. */
export function Nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const { type, enum: values, ...rest } = schema as S & { type: string; enum?: readonly unknown[] }
  return Type.Unsafe<Static<S> | null>({ ...rest, type: [type, 'null'], ...(values && { enum: [...values, null] }) })
}

export function OneOf<const V extends string>(values: readonly V[], notes: Notes = {}) {
  return Type.Unsafe<V>({ type: 'string', enum: [...values], rule: `must be one of ${values.join(', ')}`, ...notes })
}

/**
 * Free text of people. Length is counted in code points; U+0000 and lone surrogates, which no database stores
 * faithfully, are refused, and so is text that is blank, or a single character where two are the least, after trimming.
 */
export function Text(min: number, max: number, notes: Notes = {}) {
  return Type.String({
    ...(min > 0 && { minLength: min, pattern: min > 1 ? '\\S[\\s\\S]*\\S' : '\\S' }),
    maxLength: max,
    format: 'text',
    rule: min > 0 ? `must be ${min}–${max} characters` : `must be at most ${max} characters`,
    ...notes,
  })
}

export function Integer(minimum: number, maximum: number, notes: Notes = {}) {
  return Type.Integer({ minimum, maximum, rule: `must be a whole number from ${minimum} to ${maximum}`, ...notes })
}

/** An integer in a response, without promised bounds. */
export const Count = Type.Integer({ minimum: 0 })

export const Id = Type.String({
  format: 'uuid',
  rule: 'must be a UUID',
  examples: ['0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'],
})

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO-8601, UTC, milliseconds',
  examples: ['2026-11-15T09:30:00.000Z'],
})
