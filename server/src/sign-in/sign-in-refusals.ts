import { cannot, type Refusal } from '../operations/refusal.ts'

/** It ended, it took too long, or this browser did not begin it. */
export function signInOver(): Refusal {
  return cannot('This sign-in is over, or was begun in another browser. Begin it again at the website.', 'sign_in_over')
}

/** The page shows what is not so any more. */
export function signInChanged(): Refusal {
  return cannot('Somebody else is signed in now. Load the page again.', 'sign_in_changed')
}

export function signInSwitchedOff(): Refusal {
  return cannot('This website does not take part in sign-in any more.', 'sign_in_switched_off')
}
