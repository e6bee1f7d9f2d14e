import { type CustomTypesConfig, types } from 'pg'

const { builtins } = types
const int8Array = 1016
const timestamptzArray = 1185

/** PostgreSQL's text for an instant → ISO-8601 in UTC with milliseconds. `infinity` and years past 9999 stay as they are. */
export function parseTimestamp(text: string): string {
  const parts = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text)
  if (parts) return `${parts[1]}T${parts[2]}.${(parts[3] ?? '').padEnd(3, '0').slice(0, 3)}Z`
  const instant = new Date(text)
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString()
}

/** Fails the query if JavaScript can't represent the number exactly. */
export function parseBigint(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`bigint ${text} is too large for a number`)
  return number
}

/** For one-dimensional arrays whose items contain no comma. */
const arrayOf = (parse: (text: string) => unknown) => (text: string) =>
  text === '{}'
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map((item) => (item === 'NULL' ? null : parse(item.replaceAll('"', ''))))

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.TIMESTAMPTZ, parseTimestamp],
  [timestamptzArray, arrayOf(parseTimestamp)],
  [builtins.DATE, (text) => text],
  [builtins.INT8, parseBigint],
  [int8Array, arrayOf(parseBigint)],
])

/** Parses column values. Set on the pool, so that no other user of `pg` is affected. */
export const columnParsers: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (format === 'binary' ? undefined : parsers.get(oid)) ?? types.getTypeParser(oid, format),
}
