import type { Config } from "../../app/config/config.server.ts";
import type { DatabaseConnection } from "../../app/db/client.server.ts";
import { withDatabase } from "../open.ts";
import { FAILED, type OpsAnswer } from "./command.ts";

/** What a command answers that needs the database; one that cannot be opened has been complained about by then. */
export async function answerFrom(
  run: (connection: DatabaseConnection, config: Config) => Promise<OpsAnswer>,
): Promise<OpsAnswer> {
  let answer: OpsAnswer = { text: "", data: null, exitCode: FAILED };
  await withDatabase(async (connection, config) => {
    answer = await run(connection, config);
  });
  return answer;
}
