-- Who adds an entry says what was done; when and by whom, the database says. A person's name stands there alone only for an entry
-- written with a session of theirs that is open; else it follows that of the role. Processes of the version before name none.
CREATE FUNCTION sign_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  signer text;
BEGIN
  SELECT person.email INTO signer FROM public.session AS own JOIN public."user" AS person ON person.id = own.user_id
    WHERE own.id = current_setting('audit.session', true) AND own.expires_at > now() AND NOT own.needs_second_factor;
  NEW.id := nextval('public.audit_log_id_seq');
  NEW.at := clock_timestamp();
  NEW.actor := CASE
    WHEN signer IS NOT NULL THEN signer
    WHEN NEW.actor = 'npm run ops' THEN NEW.actor
    ELSE session_user || ', for ' || NEW.actor
  END;
  RETURN NEW;
END $$;
--> statement-breakpoint
-- safe: what the version before adds stays what it was; its operators are named behind the role
CREATE TRIGGER audit_log_is_signed BEFORE INSERT ON "audit_log" FOR EACH ROW EXECUTE FUNCTION sign_audit_log();
