import { sendDefect } from './send-defect.ts'

/** Reports errors of event handlers and promises, which no boundary catches. Returns a function that stops. */
export function reportUncaught(): () => void {
  const failed = ({ error }: ErrorEvent): void => sendDefect('handler', error)
  const rejected = ({ reason }: PromiseRejectionEvent): void => sendDefect('promise', reason)
  addEventListener('error', failed)
  addEventListener('unhandledrejection', rejected)
  return () => {
    removeEventListener('error', failed)
    removeEventListener('unhandledrejection', rejected)
  }
}
