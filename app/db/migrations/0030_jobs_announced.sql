-- A job that is due and waits is announced by whichever statement made it so, in the message its kind: LISTEN hears it after the commit.
CREATE FUNCTION tell_of_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('jobs', NEW.kind);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER outbox_tell_of_new_job AFTER INSERT ON "outbox" FOR EACH ROW
  WHEN (NEW.run_at <= now() AND NEW.claimed_at IS NULL AND NEW.done_at IS NULL) EXECUTE FUNCTION tell_of_job();--> statement-breakpoint
CREATE TRIGGER outbox_tell_of_due_job AFTER UPDATE OF "run_at" ON "outbox" FOR EACH ROW
  WHEN (NEW.run_at <= now() AND NEW.claimed_at IS NULL AND NEW.done_at IS NULL) EXECUTE FUNCTION tell_of_job();
