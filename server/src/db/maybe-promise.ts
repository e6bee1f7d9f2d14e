/** Known now, or later: what is there already does not wait its turn behind what is not. */
export type MaybePromise<T> = T | Promise<T>

export function chain<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
