import type { ApiCall } from "./params.ts";

/** Answers one kind of request: throws a StripeApiError, or returns it to keep what was done before. */
export type Endpoint = (call: ApiCall) => Promise<object>;

/** An endpoint and where it is found; `:id` stands for one part of the path. */
export type EndpointEntry = [method: string, path: string, endpoint: Endpoint];
