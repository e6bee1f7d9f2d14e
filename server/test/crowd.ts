/** Lets people into a channel who never sign in, and gives their ids in the order of pages. */
export async function crowd(
  pool: { query(sql: string, values: unknown[]): Promise<{ rows: { account_id: string }[] }> },
  channelId: string,
  count: number,
): Promise<string[]> {
  const { rows } = await pool.query(
    `WITH people AS (
      INSERT INTO accounts (id, kind, name, avatar, password_hash)
      SELECT gen_random_uuid(), 'person', 'One of many ' || gen_random_uuid(), 'x.svg', 'none' FROM generate_series(1, $2)
      RETURNING id
    )
    INSERT INTO members (channel_id, account_id, role_id)
    SELECT r.channel_id, people.id, r.id FROM people, roles r
    WHERE r.channel_id = $1 AND r.system_name = 'CHANNEL_MEMBER' RETURNING account_id`,
    [channelId, count],
  )
  return rows.map(({ account_id }) => account_id).toSorted()
}
