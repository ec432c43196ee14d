import { type Client, DatabaseError } from "pg";

export class RoleError extends Error {
  override name = "RoleError";
}

/** Tables, views and sequences where the site may not just read and write rows; of the audit log it may only add. */
const WRONG_RIGHTS = `
  WITH wish AS (
    SELECT c.oid, c.relkind = 'S' AS is_sequence, format('%I.%I', n.nspname, c.relname) AS name,
      CASE
        WHEN c.relkind = 'S' THEN '{USAGE,SELECT}'
        WHEN c.relname = 'audit_log' THEN '{SELECT,INSERT}'
        WHEN n.nspname = 'drizzle' OR c.relkind IN ('v', 'm') THEN '{SELECT}'
        ELSE '{SELECT,INSERT,UPDATE,DELETE}'
      END::text[] AS rights
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v', 'm', 'S') OR n.nspname = 'drizzle' AND c.relkind = 'r'
  )
  SELECT name, is_sequence, rights FROM wish WHERE CASE
    WHEN is_sequence THEN EXISTS (
      SELECT FROM unnest('{USAGE,SELECT,UPDATE}'::text[]) AS one
      WHERE has_sequence_privilege($1, oid, one) <> (one = ANY (rights)))
    ELSE EXISTS (
      SELECT FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) AS one
      WHERE has_table_privilege($1, oid, one) <> (one = ANY (rights)))
  END`;

/** By itself or as its owner. */
const MAY_CHANGE_LOG = `
  SELECT FROM pg_class WHERE oid = 'public.audit_log'::regclass AND
    (has_table_privilege($1, oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER') OR pg_has_role($1, relowner, 'MEMBER'))`;

/** Changes nothing when the rights are right. @throws RoleError when the role could change the audit log all the same */
export async function giveRights(owner: Client, siteUrl: string): Promise<void> {
  const { username, password } = new URL(siteUrl);
  const name = decodeURIComponent(username);
  await createRole(owner, name, decodeURIComponent(password));
  const { rows: wrong } = await owner.query<WrongRights>(WRONG_RIGHTS, [name]);
  if (wrong.length > 0) await mend(owner, owner.escapeIdentifier(name), wrong);
  const { rowCount } = await owner.query(MAY_CHANGE_LOG, [name]);
  if (rowCount)
    throw new RoleError(
      `the role “${name}” of DATABASE_URL could change the audit log: it owns the tables, or may become who does. ` +
        "Let DATABASE_URL name another role; one that does not exist yet is made",
    );
}

interface WrongRights {
  name: string;
  is_sequence: boolean;
  rights: string[];
}

async function createRole(owner: Client, name: string, password: string): Promise<void> {
  const { rowCount } = await owner.query("SELECT FROM pg_roles WHERE rolname = $1", [name]);
  if (rowCount) return;
  const statement = `CREATE ROLE ${owner.escapeIdentifier(name)} LOGIN PASSWORD ${owner.escapeLiteral(password)}`;
  await owner.query(statement).catch((error: unknown) => {
    // Roles belong to the server: a process with another of its databases was first.
    const isThere = error instanceof DatabaseError && ["42710", "23505"].includes(error.code ?? "");
    if (!isThere) throw error;
  });
}

/** In one transaction, so that serving processes never lack a right. */
async function mend(owner: Client, role: string, wrong: readonly WrongRights[]): Promise<void> {
  const statements = wrong.flatMap(({ name, is_sequence: isSequence, rights }) => {
    const what = `${isSequence ? "SEQUENCE" : "TABLE"} ${name}`;
    return [`REVOKE ALL ON ${what} FROM ${role}`, `GRANT ${rights.join(", ")} ON ${what} TO ${role}`];
  });
  await owner.query(
    [
      "BEGIN",
      `GRANT USAGE ON SCHEMA public, drizzle TO ${role}`,
      // Objects that a later migration recreates, such as the view, then work from its commit on.
      `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${role}`,
      ...statements,
      "COMMIT",
    ].join(";\n"),
  );
}
