-- How the connection of an application fares, for its owner to see.
ALTER TABLE stream_owners
  -- When its process last said that it is there: a process that died says nothing more.
  ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now(),
  -- `idle`: without a subscription. `behind`: being sent what it missed. `live`: events go out as they happen.
  ADD COLUMN phase text NOT NULL DEFAULT 'idle' CHECK (phase IN ('idle', 'behind', 'live')),
  -- Up to here it was told, or the one before it was; null: none has ever subscribed.
  ADD COLUMN told_seq bigint,
  ADD COLUMN displaced_client text,
  ADD COLUMN displacer_client text,
  ADD COLUMN displacer_address text;
