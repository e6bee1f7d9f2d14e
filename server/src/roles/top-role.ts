import { sql } from 'kysely'
import { roleIdsOfMember } from './roles-of-member.ts'

/** The highest role of the member `m` of the surrounding statement, as its name is shown. */
export const topRole = sql`(
  SELECT json_build_object('systemName', t.system_name, 'name', t.name) FROM roles t
  WHERE t.id = ANY (${roleIdsOfMember}) ORDER BY t.rank DESC LIMIT 1
)`
