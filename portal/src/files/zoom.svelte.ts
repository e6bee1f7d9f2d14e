const MOST = 8
const STEP = 1.5

/** How far a picture is enlarged and moved. At 1 it fits into the stage. */
export class Zoom {
  #scale = $state(1)
  #x = $state(0)
  #y = $state(0)
  readonly #stage: () => { readonly width: number; readonly height: number }

  constructor(stage: () => { readonly width: number; readonly height: number }) {
    this.#stage = stage
  }

  get scale(): number {
    return this.#scale
  }

  get enlarged(): boolean {
    return this.#scale > 1
  }

  get transform(): string {
    return `translate(${this.#x}px, ${this.#y}px) scale(${this.#scale})`
  }

  in(): void {
    this.by(STEP)
  }

  out(): void {
    this.by(1 / STEP)
  }

  reset(): void {
    this.#scale = 1
    this.moveBy(0, 0)
  }

  /** Enlarges around a point, given from the middle of the stage: what is there stays there. */
  by(factor: number, { x, y } = { x: 0, y: 0 }): void {
    const before = this.#scale
    // Steps of 1.5 down don't end exactly at 1.
    const scaled = Math.min(MOST, Math.max(1, before * factor))
    this.#scale = scaled < 1.01 ? 1 : scaled
    const grown = this.#scale / before - 1
    this.moveBy((this.#x - x) * grown, (this.#y - y) * grown)
  }

  /** Moves the picture, but never out of the stage. */
  moveBy(x: number, y: number): void {
    const { width, height } = this.#stage()
    this.#x = within(this.#x + x, ((this.#scale - 1) * width) / 2)
    this.#y = within(this.#y + y, ((this.#scale - 1) * height) / 2)
  }
}

function within(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value))
}
