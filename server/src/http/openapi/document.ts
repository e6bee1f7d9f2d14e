import type { Quota } from '@portico/contract'

/** The subset of OpenAPI 3.1 that these documents use. */
export type OpenApi = {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly summary: string
    readonly description: string
    readonly version: string
    readonly contact: { readonly name: string }
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly Tag[]
  readonly security: Security
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
    readonly headers: Readonly<Record<string, HeaderObject>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly schemas: Readonly<Record<string, SchemaObject>>
  }
}

export type Tag = { readonly name: string; readonly description: string }

export type SecurityScheme =
  | {
      readonly type: 'apiKey'
      readonly in: 'header' | 'cookie'
      readonly name: string
      readonly description: string
    }
  | {
      readonly type: 'oauth2'
      readonly description: string
      readonly flows: {
        readonly authorizationCode: {
          readonly authorizationUrl: string
          readonly tokenUrl: string
          readonly refreshUrl: string
          readonly scopes: Readonly<Record<string, string>>
        }
      }
    }

/** Alternatives: one of these is enough. */
export type Security = readonly Readonly<Record<string, readonly string[]>>[]

export type OperationObject = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: Security
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
  /** What the portal sends afterwards, by name and address. */
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, { readonly post: WebhookObject }>>>>
  /** The requirements of the description in a form for programs. */
  readonly 'x-scope'?: string
  readonly 'x-right'?: string
  readonly 'x-room'?: readonly string[]
  readonly 'x-quota'?: Quota
}

/** A request that the portal sends to a webhook. */
export type WebhookObject = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: Security
  readonly parameters: readonly ParameterObject[]
  readonly requestBody: RequestBody
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

export type ParameterObject = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly style?: 'form'
  readonly explode?: boolean
  readonly schema: SchemaObject
  readonly example?: unknown
}

export type RequestBody = {
  readonly required: boolean
  readonly content: Readonly<Record<string, MediaType>>
}

export type MediaType = {
  readonly schema: SchemaObject
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, ExampleObject>>
}

export type ExampleObject = { readonly summary: string; readonly value: unknown }

export type ResponseObject = {
  readonly description: string
  readonly headers: Readonly<Record<string, Reference>>
  readonly content?: { readonly 'application/json': MediaType }
}

export type Reference = { readonly $ref: string }

export type HeaderObject = { readonly description: string; readonly schema: SchemaObject }

export type SchemaObject = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaObject>>
  readonly required?: readonly string[]
  readonly items?: SchemaObject
  readonly anyOf?: readonly SchemaObject[]
  readonly examples?: readonly unknown[]
  readonly [keyword: string]: unknown
}
