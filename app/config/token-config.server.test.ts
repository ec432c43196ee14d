import { describe, expect, test } from "vitest";
import { readConfig } from "./config.server.ts";

const complaintOf = (env: Record<string, string>): string => {
  try {
    readConfig({ ...env });
  } catch (error) {
    return String(error).replace("ConfigError: ", "");
  }
  return "";
};

describe("app check", () => {
  const keys = { APP_CHECK_JWKS_URL: "https://check.example/jwks" };
  const issuer = { APP_CHECK_ISSUER: "https://check.example/1" };

  test("is off until its keys are named, and then is for this project unless said otherwise", () => {
    expect(readConfig({}).appCheck).toBeNull();
    expect(readConfig({ ...keys, ...issuer, PROJECT_ID: "own" }).appCheck).toEqual({
      jwksUrl: "https://check.example/jwks",
      issuer: "https://check.example/1",
      audience: "projects/own",
    });
    const audience = { APP_CHECK_AUDIENCE: "projects/1" };
    expect(readConfig({ ...keys, ...issuer, ...audience }).appCheck?.audience).toBe("projects/1");
  });

  test("half of it is refused: it would look checked and not be", () => {
    expect(complaintOf(keys)).toBe("APP_CHECK_ISSUER: must be set, because APP_CHECK_JWKS_URL is");
    expect(complaintOf(issuer)).toMatch(/^APP_CHECK_JWKS_URL: must be set, because APP_CHECK_ISSUER is/);
    expect(complaintOf({ APP_CHECK_AUDIENCE: "projects/1" })).toMatch(/^APP_CHECK_JWKS_URL: must be set/);
  });
});
