/** Text that may be absent: blank counts as absent. Undefined, "leave it as it is", stays undefined. */
export function optionalText(given: string | null | undefined): string | null | undefined {
  return given === undefined ? undefined : given?.trim() || null
}
