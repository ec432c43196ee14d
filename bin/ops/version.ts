import type { Pool } from "pg";
import type { Config } from "../../app/config/config.server.ts";
import type { Version } from "../../app/config/version.server.ts";
import { connect, endPool } from "../../app/db/client.server.ts";
import { findSchema, type SchemaState } from "../../app/db/migration-state.server.ts";
import { explainFailure, readConfigOrExit, withUrls } from "../open.ts";
import { FAILED, type OpsAnswer, type OpsCommands, readArguments } from "./command.ts";

export const commands: OpsCommands = {
  "": {
    usage: "",
    summary:
      "Which version, commit, Node and schema this is, which schema the database has, and what runs on it.",
    async run(args) {
      readArguments(args, {});
      return describeVersion(readConfigOrExit());
    },
  },
};

interface Answer {
  version: Version;
  node: string;
  /** The state of the database, or why it is unknown. */
  database: (SchemaState & { server: string; processes: RunningProcess[] | null }) | { away: string };
}

interface RunningProcess {
  role: string;
  version: string;
  host: string;
  since: Date;
  secondsSinceSeen: number;
}

/** Works without a database, too: the version is often needed to diagnose a failure. */
async function describeVersion(config: Config): Promise<OpsAnswer> {
  let database: Answer["database"] = { away: "" };
  try {
    await withUrls(config, async ({ ownerUrl }) => {
      const { pool } = connect(ownerUrl, 1, () => {});
      database = await lookAt(pool).finally(() => endPool(pool));
    });
  } catch (error) {
    const away = explainFailure(error, config);
    if (!away) throw error;
    database = { away };
  }
  const answer: Answer = { version: config.version, node: process.versions.node, database };
  return { text: textOf(answer), data: answer, exitCode: "away" in answer.database ? FAILED : 0 };
}

async function lookAt(pool: Pool): Promise<Exclude<Answer["database"], { away: string }>> {
  const schema = await findSchema(pool);
  const { rows: servers } = await pool.query("SELECT current_setting('server_version') AS server");
  const { rows: tables } = await pool.query("SELECT to_regclass('processes') IS NOT NULL AS \"isKnown\"");
  const { rows: processes } = await pool.query<RunningProcess>(
    tables[0].isKnown
      ? `SELECT role, version, host, started_at AS since,
                extract(epoch FROM now() - seen_at)::float8 AS "secondsSinceSeen"
         FROM processes ORDER BY started_at, id`
      : "SELECT WHERE false",
  );
  return { ...schema, server: servers[0].server, processes: tables[0].isKnown ? processes : null };
}

function textOf({ version, node, database }: Answer): string {
  const lines = [
    `version     ${version.number}`,
    `commit      ${version.commit ?? "not known: no .git folder here; set COMMIT"}`,
    `Node        ${node}`,
  ];
  if ("away" in database) return [...lines, `database    cannot be asked: ${database.away}`].join("\n");
  const { ofCode, state, ofDatabase, server, processes } = database;
  return [
    ...lines,
    `schema      ${ofCode}`,
    `database    ${SCHEMA_TEXTS[state](ofDatabase)} (PostgreSQL ${server})`,
    `processes   ${processes?.length ? "" : "none: nothing runs on this database, or only versions that do not say so"}`,
    ...(processes ?? []).map(lineOf),
  ]
    .map((line) => line.trimEnd())
    .join("\n");
}

const SCHEMA_TEXTS: Record<SchemaState["state"], (name: string | null) => string> = {
  current: () => "has this schema",
  older: (name) =>
    `is older: ${name ?? "it has none of our tables"}. \`npm run migrate\` brings it up to date`,
  newer: () => "is newer than this code. Use the code that the site runs on",
};

/** After how many seconds a process that should renew its row every 30 is taken to have been killed. */
const SILENT_SECONDS = 90;

function lineOf({ role, version, host, since, secondsSinceSeen }: RunningProcess): string {
  const seen = Math.round(secondsSinceSeen);
  const isSilent = seen > SILENT_SECONDS;
  return `  ${role.padEnd(6)}  ${version.padEnd(20)}  ${host}  since ${since.toISOString()}  ${
    isSilent ? `silent for ${seen} s: it was killed, or cannot reach the database` : `seen ${seen} s ago`
  }`;
}
