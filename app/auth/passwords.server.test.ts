import { expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { readConfig } from "../config/config.server.ts";
import { createLog } from "../log/log.server.ts";
import { createAuth } from "./auth.server.ts";
import { checkPassword } from "./passwords.server.ts";

test("a hash that failed once is made again for the next unknown address", async () => {
  const database = await openDatabase();
  const auth = createAuth(readConfig({ AUTH_SECRET: "x".repeat(32) }), database.db, createLog("silent"));
  const { password } = await auth.$context;
  const { hash } = password;
  // As when the machine has no memory left for scrypt.
  password.hash = () => Promise.reject(new Error("no memory"));
  await expect(checkPassword({ auth }, null, "some password")).rejects.toThrow("no memory");
  password.hash = hash;
  expect(await checkPassword({ auth }, null, "some password")).toBeNull();
  await database.close();
});
