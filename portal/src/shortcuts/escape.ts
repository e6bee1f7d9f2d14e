type Layer = () => boolean

const layers: Layer[] = []

/**
 * Adds a layer that Esc can close. A layer returns whether it had something to close; if not, the next lower one is
 * asked. Dialogs and popovers, which the browser closes itself, come first. Returns a function that removes the layer.
 */
export function onEscape(layer: Layer): () => void {
  layers.push(layer)
  return () => {
    layers.splice(layers.indexOf(layer), 1)
  }
}

/** Closes the topmost layer. */
export function escape(): boolean {
  return layers.toReversed().some((layer) => layer())
}

/** A dialog, a menu or a list is open and handles the keys. */
export function isTaken(): boolean {
  return document.querySelector(':popover-open:not(.tooltip), dialog[open]') !== null
}
