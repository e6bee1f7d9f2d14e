import { cannot, type Refusal } from '../operations/refusal.ts'

/** It has ended or timed out, or another browser started it. */
export function signInOver(): Refusal {
  return cannot(
    'This sign-in has expired, or was started in another browser. Start again at the website.',
    'sign_in_over',
  )
}

/** The page shows outdated data. */
export function signInChanged(): Refusal {
  return cannot('Someone else is signed in now. Reload the page.', 'sign_in_changed')
}

export function signInSwitchedOff(): Refusal {
  return cannot('Sign-in was turned off for this website.', 'sign_in_switched_off')
}
