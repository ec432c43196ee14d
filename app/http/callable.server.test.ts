import { expect, test } from "vitest";
import { callableError } from "./callable.server.ts";
import { codeOf, failure } from "./errors.ts";

// The second column is google.rpc.Code, which Firebase's client looks `error.status` up in; the third is spec §8.
test.each([
  [400, "INVALID_ARGUMENT", "invalid-argument"],
  [401, "UNAUTHENTICATED", "unauthenticated"],
  [403, "PERMISSION_DENIED", "permission-denied"],
  [404, "NOT_FOUND", "not-found"],
  [409, "ABORTED", "aborted"],
  [429, "RESOURCE_EXHAUSTED", "resource-exhausted"],
  [499, "CANCELLED", "cancelled"],
  [500, "INTERNAL", "internal"],
  [501, "UNIMPLEMENTED", "unimplemented"],
  [503, "UNAVAILABLE", "unavailable"],
  [504, "DEADLINE_EXCEEDED", "deadline-exceeded"],
] as const)("%i is %s in the answer and %s to the client", async (status, inAnswer, toClient) => {
  const response = callableError(failure(status, "In words."));
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: { status: inAnswer, message: "In words." } });
  expect(codeOf(status)).toBe(toClient);
});

test("a status the spec does not name is internal", () => {
  expect([codeOf(418), codeOf(502), codeOf(0)]).toEqual(["internal", "internal", "internal"]);
});
