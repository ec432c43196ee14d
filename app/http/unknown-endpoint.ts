import { callableError } from "./callable.server.ts";
import { failure } from "./errors.ts";

/** For paths below those of the endpoints. */
export function loader() {
  return callableError(failure(404, "There is no such endpoint"));
}

export const action = loader;
