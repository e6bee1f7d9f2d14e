/** Known now, or later: what is there already does not wait its turn behind what is not. */
export type Soon<T> = T | Promise<T>

export function soon<T, R>(value: Soon<T>, use: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
