import { goto } from '$app/navigation'

let started: Promise<ServiceWorkerRegistration> | undefined

/** What shows notifications and is there when they are clicked. */
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
    await serviceWorker.register('/notifications.js')
  } catch (error) {
    // Whoever turns it on again means another attempt.
    started = undefined
    throw error
  }
  return serviceWorker.ready
}

function isWay(data: unknown): data is { open: string } {
  return typeof data === 'object' && data !== null && 'open' in data && typeof data.open === 'string'
}
