type Library = typeof import('sharp').default

let loading: Promise<Library> | undefined

/** Loaded when the first picture comes: a portal runs without it where there is no build of it for the machine. */
export function loadSharp(): Promise<Library> {
  loading ??= load()
  return loading
}

async function load(): Promise<Library> {
  const { default: sharp } = await import('sharp')
  // Of all that it can read, only what browsers make pictures of: no SVG, no PDF, no reading of further files.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
  })
  // Every picture is another one: what was decoded is never asked for again.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
