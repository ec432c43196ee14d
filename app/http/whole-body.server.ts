/** By a symbol of all modules: while developing, serve.ts and the site that Vite loads have a copy of this one each. */
const WHOLE_BODY = Symbol.for("whole body");

type Body = Buffer<ArrayBuffer>;

/**
 * A response whose body is at hand as a whole. `Response` would make a stream of it, which costs more than sending it: here
 * there is none, `body` is null, and it is read by `wholeBodyOf`, or as that of any other response.
 */
class WholeResponse extends Response {
  [WHOLE_BODY]: Body;

  constructor(body: Body, init: ResponseInit) {
    super(null, init);
    this[WHOLE_BODY] = body;
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(this[WHOLE_BODY]).buffer;
  }

  override async text(): Promise<string> {
    return this[WHOLE_BODY].toString();
  }

  override clone(): Response {
    return new WholeResponse(this[WHOLE_BODY], this);
  }

  /** The bytes that are sent instead, with headers that say what they are. */
  replaceBody(body: Body): this {
    this[WHOLE_BODY] = body;
    return this;
  }
}

export function wholeResponse(body: Body, init: ResponseInit): Response {
  return new WholeResponse(body, init);
}

/** The body of such a response. */
export function wholeBodyOf(response: Response & { [WHOLE_BODY]?: Body }): Body | undefined {
  return response[WHOLE_BODY];
}

/** The same response with another body, which its headers describe already. */
export function withWholeBody(response: Response, body: Body): Response {
  if (response instanceof WholeResponse) return response.replaceBody(body);
  const { status, statusText, headers } = response;
  return wholeResponse(body, { status, statusText, headers });
}
