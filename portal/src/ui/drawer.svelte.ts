import { MediaQuery } from 'svelte/reactivity'

const narrow = new MediaQuery('max-width: 720px')
let wanted = $state(false)

/** On a narrow window the side of the page slides in over its content. */
export const drawer = {
  /** The layout has a drawer, open or not. */
  get narrow(): boolean {
    return narrow.current
  },
  /** The drawer covers everything else, which is inert meanwhile. */
  get open(): boolean {
    return narrow.current && wanted
  },
  get hidden(): boolean {
    return narrow.current && !wanted
  },
  show(): void {
    wanted = true
  },
  hide(): void {
    wanted = false
  },
}
