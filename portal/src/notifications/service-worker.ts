import { goto } from '$app/navigation'

let started: Promise<ServiceWorkerRegistration> | undefined

/** The service worker: shows notifications, handles clicks on them, and opens the portal without a connection. */
export function startWorker(): Promise<ServiceWorkerRegistration> {
  started ??= start()
  return started
}

async function start(): Promise<ServiceWorkerRegistration> {
  const { serviceWorker } = navigator
  serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isWay(data)) void goto(data.open)
  })
  try {
    await serviceWorker.register('/service-worker.js')
  } catch (error) {
    // Turning notifications on again retries.
    started = undefined
    throw error
  }
  return serviceWorker.ready
}

function isWay(data: unknown): data is { open: string } {
  return typeof data === 'object' && data !== null && 'open' in data && typeof data.open === 'string'
}
