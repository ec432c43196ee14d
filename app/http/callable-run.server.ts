import { OUR_FAULT } from "../ui/what-failed.ts";
import { callableError, callableFault } from "./callable.server.ts";
import type { App, RequestState } from "./context.server.ts";
import { CODE_BY_STATUS, type ErrorStatus, failure } from "./errors.ts";
import { TIMED_OUT, withinTime } from "./time-limit.server.ts";

/** Spec §9. */
const FUNCTION_MILLISECONDS = 70_000;

export interface FunctionCall {
  app: Pick<App, "log">;
  state: Pick<RequestState, "id">;
  name: string;
  signal: AbortSignal;
  /** For a 500, in the spec's words where it has some. */
  failed?: string;
  milliseconds?: number;
}

/** 504 when the time is up; 499, for the log, when the client goes away. The function still runs: a retry finds its result. */
export async function runFunction(call: FunctionCall, run: () => Promise<Response>): Promise<Response> {
  const { app, state, name, signal, failed = OUR_FAULT, milliseconds = FUNCTION_MILLISECONDS } = call;
  const describe = (error: unknown) => callableFault({ app, state }, error, `${name} failed`, failed);
  const stop = (status: ErrorStatus, message: string, logged: string): Response => {
    const fields = { id: state.id, function: name, status, code: CODE_BY_STATUS[status] };
    // The client's choice to leave is no problem of ours.
    if (status === 499) app.log.info(fields, logged);
    else app.log.warn(fields, logged);
    return callableError(failure(status, message));
  };
  const leave = () => stop(499, "The call was cancelled", "the client went away before it was answered");
  if (signal.aborted) return leave();

  const left = Promise.withResolvers<"left">();
  const onAbort = () => left.resolve("left");
  signal.addEventListener("abort", onAbort);
  try {
    const work = run().catch(describe);
    const answer = await withinTime(milliseconds, Promise.race([work, left.promise]), describe);
    if (answer === "left") return leave();
    return answer === TIMED_OUT ? stop(504, failed, "a function took too long") : answer;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
