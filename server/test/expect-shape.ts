import { Ajv, type ValidateFunction } from 'ajv'
import { operations, type Operation } from '@portico/contract'
import { expect } from 'vitest'
import type { Answer } from './person.ts'

type Schema = Record<string, unknown>

const ajv = new Ajv({
  keywords: ['rule', 'check', 'portalOnly'],
  strictTypes: false,
  formats: {
    uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    text: true,
    emoji: true,
    'http-url': true,
  },
})
const checks = new Map<string, ValidateFunction>()

/** The response is a success with exactly the fields that the contract defines for bots. */
export function expectShape(name: string, answer: Answer): void {
  const operation = operationOf(name)
  const { status, schema } = operation.output
  expect(answer, `${name}: ${JSON.stringify(answer.body)}`).toMatchObject({ status })
  if (status === 204) {
    expect(answer.body).toBeUndefined()
    return
  }
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const check = checks.get(name) ?? ajv.compile(closed({ ...schema }))
  checks.set(name, check)
  expect(check(answer.body), `${name}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(answer.body)}`).toBe(true)
}

export function operationOf(name: string): Operation {
  const operation = operations.get(name)
  if (!operation) throw new Error(`the contract has no ${name}`)
  return operation
}

/** The schema without portal-only fields, and closed to additional ones. */
function closed(schema: Schema): Schema {
  const { properties, items } = schema as { properties?: Record<string, Schema>; items?: Schema }
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).flatMap(([name, value]) => (value['portalOnly'] ? [] : [[name, closed(value)]])),
      ),
      additionalProperties: false,
    }),
    ...(items && { items: closed(items) }),
  }
}
