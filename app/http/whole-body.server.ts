/** By a symbol of all modules: while developing, serve.ts and the site that Vite loads have a copy of this one each. */
const WHOLE_BODY = Symbol.for("whole body");

type Body = Buffer<ArrayBuffer>;

/** A response whose body is at hand as a whole. Reading the stream that a `Response` makes of it costs more than sending it. */
export function wholeResponse(body: Body, init: ResponseInit): Response {
  return Object.assign(new Response(body, init), { [WHOLE_BODY]: body });
}

/** The body of such a response. */
export function wholeBodyOf(response: Response & { [WHOLE_BODY]?: Body }): Body | undefined {
  return response[WHOLE_BODY];
}
