-- What a server must have to be a replica of this primary (src/db/replica.ts). Servers that were promoted count their positions on from the
-- same one, so after that the mark is another one.
CREATE TABLE replica_mark (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  timeline text NOT NULL,
  mark uuid NOT NULL
);
