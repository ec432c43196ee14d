/** Stripe's error types: https://docs.stripe.com/api/errors */
type ErrorType = "api_error" | "idempotency_error" | "invalid_request_error";

interface ErrorDetails {
  code?: string | undefined;
  param?: string | undefined;
}

/** An error as Stripe answers it: an HTTP status and `{error: {type, code, message, param}}`. */
export class StripeApiError extends Error {
  readonly status: number;
  readonly type: ErrorType;
  readonly code: string | undefined;
  readonly param: string | undefined;

  constructor(status: number, type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.code = details.code;
    this.param = details.param;
  }

  /** The JSON body; fields without a value are omitted, as by Stripe. */
  toBody(): string {
    const { type, code, message, param } = this;
    return JSON.stringify({ error: { type, code, message, param } });
  }
}

/** 400: the parameters fail validation, so nothing was executed. */
export class InvalidParameterError extends StripeApiError {
  constructor(message: string, details: ErrorDetails) {
    super(400, "invalid_request_error", message, details);
  }
}

/** 400: the request itself is wrong. */
export function invalidRequest(message: string, details: ErrorDetails = {}): StripeApiError {
  return new StripeApiError(400, "invalid_request_error", message, details);
}

/**
 * The object does not exist: 404 when the URL names it, 400 when another parameter does.
 * https://docs.stripe.com/error-codes#resource-missing
 */
export function resourceMissing(kind: string, id: string, param = "id"): StripeApiError {
  const status = param === "id" ? 404 : 400;
  return new StripeApiError(status, "invalid_request_error", `No such ${kind}: '${id}'`, {
    code: "resource_missing",
    param,
  });
}

/** 501: Stripe has it, the sandbox does not. */
export function notInSandbox(what: string): StripeApiError {
  const message = `${what} is not part of the Stripe sandbox; see sandbox/stripe/README.md for what is.`;
  return new StripeApiError(501, "invalid_request_error", message, { code: "not_in_sandbox" });
}
