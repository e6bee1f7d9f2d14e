type Library = typeof import('sharp').default

let loading: Promise<Library> | undefined

/** Loaded with the first picture: the portal also runs on machines that have no build of it. */
export function loadSharp(): Promise<Library> {
  loading ??= load()
  return loading
}

async function load(): Promise<Library> {
  const { default: sharp } = await import('sharp')
  // Only formats of browsers: no SVG, no PDF, nothing that reads other files.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
  })
  // Every picture is different, so a cache of decoded pictures is useless.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
