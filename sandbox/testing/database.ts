import { randomBytes } from "node:crypto";
import pg from "pg";

/** A fresh, empty database in the cluster that TEST_DATABASE_URL names, and what drops it. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await onCluster(`CREATE DATABASE ${name} TEMPLATE template1`);
  const url = new URL(clusterUrl());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onCluster(`DROP DATABASE ${name}`) };
}

async function onCluster(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl() });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

function clusterUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url)
    throw new Error("TEST_DATABASE_URL must name a PostgreSQL server in which databases may be created");
  return url;
}
