import { callableError } from "./callable.server.ts";
import { failure } from "./errors.ts";

/** What a program reads where no endpoint is. */
export function loader() {
  return callableError(failure(404, "There is no such endpoint"));
}

export const action = loader;
