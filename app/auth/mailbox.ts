import { type SQL, sql } from "drizzle-orm";

/** All domains of the providers that ignore dots. */
const WITHOUT_DOTS = ["gmail.com", "googlemail.com"];

/** Drops the part after a plus, and dots at Gmail. Proves no ownership: never used to sign in or to find an account. */
export function mailboxOf(email: string): string {
  const address = email.toLowerCase();
  const at = address.lastIndexOf("@");
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const base = local.split("+")[0] || local;
  return WITHOUT_DOTS.includes(domain) ? `${base.replaceAll(".", "")}@gmail.com` : `${base}@${domain}`;
}

/** In SQL. The accounts have an index of it. */
export function mailboxSql(email: SQL): SQL {
  const local = sql`split_part(lower(${email}), '@', 1)`;
  const domain = sql`split_part(lower(${email}), '@', 2)`;
  const base = sql`coalesce(nullif(split_part(${local}, '+', 1), ''), ${local})`;
  return sql`CASE WHEN ${domain} IN ('gmail.com', 'googlemail.com')
    THEN replace(${base}, '.', '') || '@gmail.com' ELSE ${base} || '@' || ${domain} END`;
}
