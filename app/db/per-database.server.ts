import type { Database } from "./client.server.ts";

/**
 * Keeps one of something for each connection of this process to a database, made when it is first asked for: whoever works over
 * the same one shares it, as they share transactions.
 */
export function onePerDatabase<Made>(make: (db: Database) => Made): (db: Database) => Made {
  const made = new WeakMap<Database, Made>();
  return (db) => {
    const known = made.get(db);
    if (known !== undefined) return known;
    const one = make(db);
    made.set(db, one);
    return one;
  };
}
