-- Presence is kept in memory, and in a cluster in Redis. No release has used these tables.

DROP TABLE presences;
DROP TABLE processes;
