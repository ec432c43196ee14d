/** Stripe's error types: https://docs.stripe.com/api/errors */
type ErrorType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

interface ErrorDetails {
  code?: string | undefined;
  param?: string | undefined;
  /** Further fields of Stripe's error, such as the failed payment. */
  more?: Record<string, unknown>;
}

/**
 * An error as Stripe answers it: an HTTP status and `{error: {type, code, message, param}}`. Thrown, it undoes what the
 * request did; an endpoint that returns it keeps that, such as the attempt to charge a card.
 */
export class StripeApiError extends Error {
  readonly status: number;
  readonly type: ErrorType;
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly more: Record<string, unknown>;

  constructor(status: number, type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.code = details.code;
    this.param = details.param;
    this.more = details.more ?? {};
  }

  /** The JSON body; fields without a value are omitted, as by Stripe. */
  toBody(): string {
    const { type, code, message, param, more } = this;
    return JSON.stringify({ error: { type, code, message, param, ...more } });
  }
}

/** 400: the parameters fail validation, so nothing was executed. */
export class InvalidParameterError extends StripeApiError {
  constructor(message: string, details: ErrorDetails) {
    super(400, "invalid_request_error", message, details);
  }
}

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

/** 501: Stripe may have it, the sandbox does not. */
export function notInSandbox(what: string): StripeApiError {
  const message = `${what} is not part of the Stripe sandbox; its README says what is.`;
  return new StripeApiError(501, "invalid_request_error", message, { code: "not_in_sandbox" });
}

/** 402: the bank refused the card, or wants its holder to confirm. https://docs.stripe.com/error-handling#payment-errors */
export function cardError(message: string, code: string, more: Record<string, unknown> = {}): StripeApiError {
  return new StripeApiError(402, "card_error", message, { code, more });
}
