/** A moment as an input for date and time has it: in the time zone of this browser, to the minute. */
export function inputMoment(moment: number): string {
  const at = new Date(moment)
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(padded).join('-')
  return `${date}T${padded(at.getHours())}:${padded(at.getMinutes())}`
}

function padded(part: number): string {
  return String(part).padStart(2, '0')
}
