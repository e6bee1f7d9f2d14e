-- One of the contract's colour names. Null: none.
ALTER TABLE roles ADD COLUMN color text;
