import { randomUUID } from 'node:crypto'

/** What the database assigns to an event together with its position: its time, and an id for what it describes. */
export interface Assigned {
  readonly id: string
  readonly at: string
}

/** Stand for what is assigned until the event is appended. They are random, so that no text of a user can contain them. */
export const ID_PLACEHOLDER = randomUUID()
export const TIME_PLACEHOLDER = randomUUID()

/** SQL for a text in which the placeholders are replaced by what the row of `appended` was assigned. */
export function replacedInSql(text: string): string {
  return `replace(replace(${text}, '${ID_PLACEHOLDER}', appended.id::text), '${TIME_PLACEHOLDER}', appended.iso)`
}

export function replacePlaceholders(text: string, { id, at }: Assigned): string {
  return text.replaceAll(ID_PLACEHOLDER, id).replaceAll(TIME_PLACEHOLDER, at)
}

/** Replaces the placeholders among the fields of an object. */
export function replaceFields(target: object, { id, at }: Assigned): void {
  for (const [name, value] of Object.entries(target)) {
    if (value === ID_PLACEHOLDER) Reflect.set(target, name, id)
    else if (value === TIME_PLACEHOLDER) Reflect.set(target, name, at)
  }
}
