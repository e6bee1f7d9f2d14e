import { startWorker } from '#notifications/service-worker.ts'

/** Lets the worker store the files with which the portal opens without a connection, also those of a newer version. */
export async function storeShell(): Promise<void> {
  const { active } = await startWorker()
  const { serviceWorker } = navigator
  active?.postMessage('store-shell')
  serviceWorker.addEventListener('controllerchange', () => serviceWorker.controller?.postMessage('store-shell'))
}
