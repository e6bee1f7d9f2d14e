-- Who is broadcasting in a stream room, as the media server reports it.
ALTER TABLE voice_sessions ADD COLUMN live boolean NOT NULL DEFAULT false;
