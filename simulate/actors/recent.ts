/** The last few of something, for choices among what is current. */
export class Recent<T> {
  readonly #most: number
  #items: T[] = []

  constructor(most: number) {
    this.#most = most
  }

  get items(): readonly T[] {
    return this.#items
  }

  add(item: T): void {
    this.#items.push(item)
    if (this.#items.length > this.#most) this.#items.shift()
  }

  remove(matches: (item: T) => boolean): void {
    this.#items = this.#items.filter((item) => !matches(item))
  }
}
