/** Reports an error in the program to the console, and to the log of the portal: without what is shown on the page. */
export function reportDefect(place: string, error: unknown): void {
  console.error(error)
  void import('./send-defect.ts').then(
    ({ sendDefect }) => sendDefect(place, error),
    // There is no connection: the next page that meets the defect reports it.
    () => undefined,
  )
}
