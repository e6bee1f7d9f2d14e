import type { NodeChange, Nodes } from './presence-store.ts'

interface PresenceViewOptions {
  /** Whether an account is online on this node as well. */
  readonly isOnlineHere: (accountId: string) => boolean
  readonly onChange: (online: readonly string[], offline: readonly string[]) => void
}

/** Who is online in one channel on other nodes, as this node knows it. Nothing until it was read. */
export class PresenceView {
  readonly #options: PresenceViewOptions
  #nodes: Nodes | undefined
  /** What was received while it is read: may be newer or older than what is read, so it is applied again afterwards. */
  #received: NodeChange[] | undefined
  subscription: Promise<() => void> | undefined

  constructor(options: PresenceViewOptions) {
    this.#options = options
  }

  get accounts(): ReadonlySet<string> | undefined {
    return this.#nodes && accountsIn(this.#nodes)
  }

  has(accountId: string): boolean {
    for (const accounts of this.#nodes?.values() ?? []) if (accounts.has(accountId)) return true
    return false
  }

  receive(change: NodeChange): void {
    this.#received?.push(change)
    this.#apply(change)
  }

  /** To be called before it is read, and `endReading` afterwards. */
  beginReading(): void {
    this.#received = []
  }

  /** Without an answer it stays as it is. Those who are missing stay if `keepsMissing`. */
  endReading(found: Nodes | undefined, { keepsMissing }: { readonly keepsMissing: boolean }): void {
    const received = this.#received ?? []
    this.#received = undefined
    if (!found) return
    this.#replace(keepsMissing && this.#nodes ? merged(this.#nodes, found) : found)
    for (const change of received) this.#apply(change)
  }

  /** Removes everyone on nodes that are not alive. */
  forgetDead(alive: ReadonlySet<string>): void {
    for (const [node, accounts] of this.#nodes ?? []) {
      if (!alive.has(node)) this.#update(accounts, () => this.#nodes?.delete(node))
    }
  }

  /** Nothing has changed when it is read for the first time. */
  #replace(nodes: Nodes): void {
    if (!this.#nodes) return void (this.#nodes = nodes)
    this.#update(accountsIn(this.#nodes).union(accountsIn(nodes)), () => (this.#nodes = nodes))
  }

  #apply({ node, online, offline, left }: NodeChange): void {
    const nodes = this.#nodes
    if (!nodes) return
    for (const id of left) nodes.get(node)?.delete(id)
    this.#update(new Set([...online, ...offline]), () => {
      const accounts = nodes.get(node) ?? new Set()
      for (const id of online) accounts.add(id)
      for (const id of offline) accounts.delete(id)
      if (accounts.size > 0) nodes.set(node, accounts)
      else nodes.delete(node)
    })
  }

  /** Reports those of the affected who are online after the update and were not before, or the other way round. */
  #update(affected: ReadonlySet<string>, update: () => void): void {
    const isOnline = (id: string): boolean => this.#options.isOnlineHere(id) || this.has(id)
    const before = new Set([...affected].filter(isOnline))
    update()
    const after = new Set([...affected].filter(isOnline))
    this.#options.onChange([...after.difference(before)], [...before.difference(after)])
  }
}

function accountsIn(nodes: Nodes): Set<string> {
  const all = new Set<string>()
  for (const accounts of nodes.values()) for (const id of accounts) all.add(id)
  return all
}

function merged(some: Nodes, others: Nodes): Nodes {
  const all = new Map(others)
  for (const [node, accounts] of some) all.set(node, accounts.union(all.get(node) ?? new Set()))
  return all
}
