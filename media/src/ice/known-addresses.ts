import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { addressesFor, isContainer, listInterfaces, type ClientAddress, type OwnAddresses } from './addresses.ts'
import { isLoopbackAddress } from '../packet/ip-address.ts'

/** In milliseconds: how often names are looked up, as addresses of homes change. */
const LOOK_UP_EVERY = 5 * 60_000
/** A client of another machine, of which nothing else is known. */
const ANYONE: ClientAddress = { local: null, host: '', remote: '192.0.2.1' }

interface Options {
  /** Addresses and names that the operator has set. */
  readonly configured: readonly string[]
  readonly publicHost: string
  /** What is announced to clients of other machines has changed. */
  readonly onChange: (announced: readonly string[]) => void
}

/** Where this machine can be reached, kept up to date. */
export class KnownAddresses {
  readonly #options: Options
  readonly #timer: NodeJS.Timeout
  #configured: readonly string[] = []
  #public: readonly string[] = []
  #announced: readonly string[] = []

  /** Resolves when all names have been looked up. */
  static async find(options: Options): Promise<KnownAddresses> {
    const addresses = new KnownAddresses(options)
    await addresses.#lookUp()
    return addresses
  }

  private constructor(options: Options) {
    this.#options = options
    this.#timer = setInterval(() => void this.#lookUp(), LOOK_UP_EVERY).unref()
  }

  /** Set to loopback addresses only, nothing else is announced or listened on. */
  get isLocal(): boolean {
    return this.#configured.length > 0 && this.#configured.every(isLoopbackAddress)
  }

  get own(): OwnAddresses {
    const configured = this.#configured
    if (this.isLocal) return { configured, public: [], interfaces: [], isContainer: true }
    return { configured, public: this.#public, interfaces: listInterfaces(), isContainer: isContainer() }
  }

  /** The addresses for clients on other machines; on a machine without a network, those for its own clients. */
  get announced(): readonly string[] {
    const { own } = this
    const far = addressesFor(own, ANYONE)
    return far.length > 0 ? far : addressesFor(own, { ...ANYONE, remote: '127.0.0.1' })
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #lookUp(): Promise<void> {
    const { configured, publicHost, onChange } = this.#options
    const found = await Promise.all([...configured, publicHost].map(resolve))
    this.#public = found.at(-1) ?? []
    this.#configured = found.slice(0, -1).flat()
    const { announced } = this
    const isChanged = this.#announced.join() !== announced.join()
    const isFirst = this.#announced.length === 0
    this.#announced = announced
    if (isChanged && !isFirst) onChange(announced)
  }
}

/** The addresses of a name. One that can't be looked up has none; the next time it may. */
async function resolve(name: string): Promise<string[]> {
  if (isIP(name) !== 0) return [name]
  const found = await lookup(name, { all: true }).catch(() => [])
  return found.map(({ address }) => address)
}
