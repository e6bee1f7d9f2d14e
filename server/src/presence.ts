/** Who is online: everybody with at least one open socket to this process. */
export class Presence {
  readonly #sockets = new Map<string, number>()

  connected(accountId: string): void {
    this.#sockets.set(accountId, (this.#sockets.get(accountId) ?? 0) + 1)
  }

  disconnected(accountId: string): void {
    const left = (this.#sockets.get(accountId) ?? 0) - 1
    if (left > 0) this.#sockets.set(accountId, left)
    else this.#sockets.delete(accountId)
  }

  online(): string[] {
    return [...this.#sockets.keys()]
  }

  isOnline(accountId: string): boolean {
    return this.#sockets.has(accountId)
  }
}
