type Layer = () => boolean

const layers: Layer[] = []

/**
 * Puts a layer on top of what Esc can close. It says whether it had something to close; if not, the one below is asked.
 * What the browser closes by itself, dialogs and popovers, comes before them all. Gives the way to take it off again.
 */
export function onEscape(layer: Layer): () => void {
  layers.push(layer)
  return () => {
    layers.splice(layers.indexOf(layer), 1)
  }
}

/** Closes the topmost thing. */
export function escape(): boolean {
  return layers.toReversed().some((layer) => layer())
}

/** A dialog, a menu or a list is open and takes the keys. */
export function isTaken(): boolean {
  return document.querySelector(':popover-open:not(.tooltip), dialog[open]') !== null
}
