import type { ViewerTarget } from './subscription.ts'

/** More than this share of lost packets for this long (ms): one layer down. */
const LOSSY = { share: 0.1, duration: 5000 }
/** Less than this for this long: one layer up. */
const CLEAN = { share: 0.02, duration: 20_000 }
/** A layer that is a little smaller than what is shown will do. */
const SLACK = 0.9

interface Size {
  readonly width: number
  readonly height: number
}

/** Which layer a viewer should get, by what they show and by what reaches them. */
export class LayerChoice {
  #target: ViewerTarget | null = null
  #limit = Infinity
  #lossySince: number | null = null
  #cleanSince: number | null = null

  setTarget(target: ViewerTarget): void {
    this.#target = target
  }

  /** The highest layer that is of use. */
  shown(layers: number, sizes: readonly Size[]): number {
    const shown = this.#target === null ? layers - 1 : layerFor(this.#target, layers, sizes)
    return Math.max(0, Math.min(shown, layers - 1))
  }

  /** The same, limited by the loss that the viewer reports. */
  wanted(layers: number, sizes: readonly Size[]): number {
    return Math.max(0, Math.min(this.shown(layers, sizes), this.#limit))
  }

  /** In pixels; the picture's own size where the viewer names none. */
  area(layers: number, sizes: readonly Size[]): number {
    const target = this.#target
    const { width, height } =
      target && 'width' in target ? target : (sizes[this.shown(layers, sizes)] ?? { width: 1280, height: 720 })
    return width * height
  }

  /** A receiver report came: `share` of the packets were lost, 0 to 1. */
  onLoss(share: number, current: number, layers: number, now: number): void {
    this.#lossySince = share > LOSSY.share ? (this.#lossySince ?? now) : null
    this.#cleanSince = share < CLEAN.share ? (this.#cleanSince ?? now) : null
    if (this.#lossySince !== null && now - this.#lossySince >= LOSSY.duration) {
      this.#limit = Math.max(0, Math.min(current, this.#limit) - 1)
      this.#lossySince = null
    } else if (this.#cleanSince !== null && now - this.#cleanSince >= CLEAN.duration) {
      this.#limit = this.#limit + 1 >= layers - 1 ? Infinity : this.#limit + 1
      this.#cleanSince = null
    }
  }
}

function layerFor(target: ViewerTarget, layers: number, sizes: readonly Size[]): number {
  if ('maxLayer' in target) return target.maxLayer
  // The shorter sides are compared, because phones turn.
  const needed = Math.min(target.width, target.height) * SLACK
  const index = sizes.findIndex(({ width, height }) => Math.min(width, height) >= needed)
  return index === -1 ? layers - 1 : index
}

/** How well a layer fits: the highest up to what is wanted, else the lowest above it. */
export const fitOf = (layer: number, wanted: number): number => (layer <= wanted ? layer : -layer)
