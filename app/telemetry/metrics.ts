export interface Metric {
  type: "counter" | "gauge" | "histogram";
  help: string;
  /** With their values where these are listed. All have few: values taken from a request would fill the memory. */
  labels: Readonly<Record<string, readonly string[] | null>>;
  buckets?: readonly number[];
}

const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const WORK_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];

/** Counted and logged. */
export const EVENTS = [
  ...(["signed_up", "account_deleted", "redeemed", "invited"] as const),
  ...(["paid", "payment_failed", "refunded", "canceled", "plan_ended", "job_given_up"] as const),
] as const;

const REFUSAL_REASONS = [
  ...(["wrong_password", "password_limited"] as const),
  ...(["wrong_app_code", "wrong_recovery_code", "wrong_passkey", "second_factor_limited"] as const),
  ...(["wrong_promo_code", "promo_code_limited", "not_an_operator"] as const),
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

const counter = <const Labels extends Metric["labels"]>(help: string, labels: Labels) =>
  ({ type: "counter", help, labels }) as const;

/** @param buckets upper bounds, in seconds */
const histogram = <const Labels extends Metric["labels"]>(
  help: string,
  labels: Labels,
  buckets: readonly number[],
) => ({ type: "histogram", help, labels, buckets }) as const;

const gauge = <const Labels extends Metric["labels"] = Record<never, null>>(
  help: string,
  labels = {} as Labels,
) => ({ type: "gauge", help, labels }) as const;

/** By the process, from its start. */
export const COUNTED = {
  http_requests_total: counter("Requests answered, by the pattern of their route", {
    method: null,
    route: null,
    status: null,
  }),
  http_request_duration_seconds: histogram(
    "Time until a request was answered; pages from memory are counted but not timed",
    { method: null, route: null },
    REQUEST_BUCKETS,
  ),
  business_events_total: counter("What happened, after its commit", { event: EVENTS }),
  refusals_total: counter(
    "Tries to sign in, to show a second factor, to use or check a promo code or to open the console that were refused",
    { reason: REFUSAL_REASONS },
  ),
  promo_redemptions_total: counter("Tries to redeem a promo code, by what came of them", {
    result: ["redeemed", "repeated", "unused", "refused", "limited", "failed"],
  }),
  jobs_total: counter("Runs of jobs of the outbox", { kind: null, outcome: ["done", "failed"] }),
  job_duration_seconds: histogram("Time a run of a job took", { kind: null }, WORK_BUCKETS),
  stripe_webhooks_total: counter("Deliveries to the webhook, by what they were answered", {
    result: ["accepted", "bad_signature", "not_an_event", "off", "failed"],
  }),
  stripe_requests_total: counter(
    "Calls to Stripe, by status class: 2xx, 4xx, 5xx, or error when there was no answer",
    { outcome: ["2xx", "3xx", "4xx", "5xx", "error"] },
  ),
  stripe_request_duration_seconds: histogram(
    "Time a call to Stripe took, each try by itself",
    {},
    REQUEST_BUCKETS,
  ),
  mail_deliveries_total: counter("Mails handed to the mail server, by what came of it", {
    outcome: ["sent", "failed", "given_up"],
  }),
  log_lines_total: counter("Lines logged, by level", { level: ["debug", "info", "warn", "error"] }),
};

/** Read from the process by a scrape. */
export const MEASURED = {
  http_requests_in_progress: gauge("Requests that are being answered"),
  db_pool_connections: gauge("Connections of this process to the database: in use, or idle", {
    state: ["used", "idle"],
  }),
  db_pool_size: gauge("Most connections this process may have"),
  db_pool_waiting: gauge("Callers that wait for a connection, or for their transaction to begin", {
    for: ["connection", "transaction"],
  }),
  disk_free_bytes: gauge("Free on the disk of DATA_DIR"),
  disk_size_bytes: gauge("Size of the disk of DATA_DIR"),
  site_ready: gauge("1: /readyz answers 200; 0: it answers 503"),
  site_build_info: gauge("Always 1; its labels say what is running", {
    version: null,
    node: null,
    role: ["web", "worker", "all"],
  }),
};

/** Read from the database by a scrape, the same for all processes. */
export const READ = {
  db_up: gauge("1: what is read from the database is current; 0: it could not be read, and is left out"),
  db_size_bytes: gauge("Size of the database"),
  processes_running: gauge("Processes that were heard of in the last 90 seconds, by role", {
    role: ["web", "worker", "all"],
  }),
  outbox_open_jobs: gauge("Jobs that are not done, at most 1,000 mails and 1,000 others", { kind: null }),
  outbox_stuck_jobs: gauge("Of these, older than 10 minutes and failed at least 5 times", { kind: null }),
  outbox_oldest_due_seconds: gauge(
    "Since when the job waits that has been due longest; absent while none is due",
    { kind: null },
  ),
  mails_waiting: gauge("Mails that no server has taken yet, at most 1,000"),
  mails_given_up: gauge("Mails given up in the last 24 hours, at most 1,000"),
  stripe_webhook_last_received_timestamp_seconds: gauge(
    "When the last event of Stripe came in; absent before the first",
  ),
  stripe_webhook_unhandled_events: gauge(
    "Events of Stripe that are stored and not handled yet, at most 1,000",
  ),
  stripe_webhook_oldest_unhandled_seconds: gauge("Since when the oldest of them waits; 0: none"),
  stripe_webhook_delay_seconds: gauge(
    "Of the last 100 events: how long 95 of them took from Stripe to here; absent before the first",
  ),
  reconcile_last_run_timestamp_seconds: gauge(
    "When all customers were last compared with Stripe; absent before the first time",
  ),
  reconcile_customers: gauge("What that came to: compared, mended (they differed: drift), failed, orphans", {
    result: ["compared", "mended", "failed", "orphans"],
  }),
  backup_last_success_timestamp_seconds: gauge("When the last backup was finished; absent before the first"),
  backup_last_checked_timestamp_seconds: gauge(
    "When one was last restored beside the database to check it; absent before the first time",
  ),
};

type CountedName = keyof typeof COUNTED;
export type MeasuredName = keyof typeof MEASURED | keyof typeof READ;

type Labels<Metrics, Name extends keyof Metrics> = Metrics[Name] extends { labels: infer Known }
  ? { [Label in keyof Known]: Known[Label] extends readonly (infer Value)[] ? Value : string }
  : never;

export interface Meters {
  /** @param amount for a counter 1 by default; for a histogram seconds */
  record<Name extends CountedName>(name: Name, labels: Labels<typeof COUNTED, Name>, amount?: number): void;
}

export const NO_METERS: Meters = { record() {} };
