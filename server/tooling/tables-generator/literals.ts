const literal = String.raw`'(?:[^']|'')*'::(?:text|character varying)`
const list = `${literal}(?:, ${literal})*`

/**
 * The texts that a column may hold, when a CHECK constraint lists them: `kind IN ('person', 'bot')`, or for an array
 * `rights <@ ARRAY['read', 'write']`. Undefined for a constraint that says anything else.
 */
export function literalsOf(check: string, column: string): string[] | undefined {
  const name = /^[a-z_][a-z0-9_]*$/.test(column) ? `(?:${column}|"${column}")` : `"${column.replaceAll('"', '""')}"`
  const value = String.raw`(?:${name}|\(${name}\)::text)`
  const array = String.raw`\(?ARRAY\[(${list})\]\)?(?:::text\[\])?`
  const condition = String.raw`${value} (?:= ANY \(${array}\)|= (${literal})|<@ ${array})`
  const orNull = String.raw`(?:\(${name} IS NULL\) OR \(${condition}\)|${condition})`
  const groups = new RegExp(String.raw`^CHECK \(\(${orNull}\)\)$`).exec(check)?.slice(1)
  const texts = groups?.find((group) => group !== undefined)
  return texts
    ?.match(new RegExp(literal, 'g'))
    ?.map((text) => text.slice(1, text.lastIndexOf("'::")).replaceAll("''", "'"))
}
