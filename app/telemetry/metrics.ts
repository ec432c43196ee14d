export interface Metric {
  type: "counter" | "gauge" | "histogram";
  help: string;
  /** With their values where these are listed. All have few: values taken from a request would fill the memory. */
  labels: Readonly<Record<string, readonly string[] | null>>;
  /** Upper bounds of a histogram, in seconds. */
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

/** By the process, from its start. */
export const COUNTED = {
  http_requests_total: {
    type: "counter",
    help: "Requests answered, by the pattern of their route",
    labels: { method: null, route: null, status: null },
  },
  http_request_duration_seconds: {
    type: "histogram",
    help: "Time until a request was answered; pages from memory are counted but not timed",
    labels: { method: null, route: null },
    buckets: REQUEST_BUCKETS,
  },
  business_events_total: {
    type: "counter",
    help: "What happened, after its commit",
    labels: { event: EVENTS },
  },
  refusals_total: {
    type: "counter",
    help: "Tries to sign in, to show a second factor, to use or check a promo code or to open the console that were refused",
    labels: { reason: REFUSAL_REASONS },
  },
  promo_redemptions_total: {
    type: "counter",
    help: "Tries to redeem a promo code, by what came of them",
    labels: { result: ["redeemed", "repeated", "unused", "refused", "limited", "failed"] },
  },
  jobs_total: {
    type: "counter",
    help: "Runs of jobs of the outbox",
    labels: { kind: null, outcome: ["done", "failed"] },
  },
  job_duration_seconds: {
    type: "histogram",
    help: "Time a run of a job took",
    labels: { kind: null },
    buckets: WORK_BUCKETS,
  },
  stripe_webhooks_total: {
    type: "counter",
    help: "Deliveries to the webhook, by what they were answered",
    labels: { result: ["accepted", "bad_signature", "not_an_event", "off", "failed"] },
  },
  stripe_requests_total: {
    type: "counter",
    help: "Calls to Stripe, by status class: 2xx, 4xx, 5xx, or error when there was no answer",
    labels: { outcome: ["2xx", "3xx", "4xx", "5xx", "error"] },
  },
  stripe_request_duration_seconds: {
    type: "histogram",
    help: "Time a call to Stripe took, each try by itself",
    labels: {},
    buckets: REQUEST_BUCKETS,
  },
  mail_deliveries_total: {
    type: "counter",
    help: "Mails handed to the mail server, by what came of it",
    labels: { outcome: ["sent", "failed", "given_up"] },
  },
  log_lines_total: {
    type: "counter",
    help: "Lines logged, by level",
    labels: { level: ["debug", "info", "warn", "error"] },
  },
} as const satisfies Record<string, Metric>;

/** Read from the process by a scrape. */
export const MEASURED = {
  http_requests_in_progress: { type: "gauge", help: "Requests that are being answered", labels: {} },
  db_pool_connections: {
    type: "gauge",
    help: "Connections of this process to the database: in use, or idle",
    labels: { state: ["used", "idle"] },
  },
  db_pool_size: { type: "gauge", help: "Most connections this process may have", labels: {} },
  db_pool_waiting: {
    type: "gauge",
    help: "Callers that wait for a connection, or for their transaction to begin",
    labels: { for: ["connection", "transaction"] },
  },
  disk_free_bytes: { type: "gauge", help: "Free on the disk of DATA_DIR", labels: {} },
  disk_size_bytes: { type: "gauge", help: "Size of the disk of DATA_DIR", labels: {} },
  site_ready: { type: "gauge", help: "1: /readyz answers 200; 0: it answers 503", labels: {} },
  site_build_info: {
    type: "gauge",
    help: "Always 1; its labels say what is running",
    labels: { version: null, node: null, role: ["web", "worker", "all"] },
  },
} as const satisfies Record<string, Metric>;

/** Read from the database by a scrape, the same for all processes. */
export const READ = {
  db_up: {
    type: "gauge",
    help: "1: what is read from the database is current; 0: it could not be read, and is left out",
    labels: {},
  },
  db_size_bytes: { type: "gauge", help: "Size of the database", labels: {} },
  processes_running: {
    type: "gauge",
    help: "Processes that were heard of in the last 90 seconds, by role",
    labels: { role: ["web", "worker", "all"] },
  },
  outbox_open_jobs: {
    type: "gauge",
    help: "Jobs that are not done, at most 1,000 mails and 1,000 others",
    labels: { kind: null },
  },
  outbox_stuck_jobs: {
    type: "gauge",
    help: "Of these, older than 10 minutes and failed at least 5 times",
    labels: { kind: null },
  },
  outbox_oldest_due_seconds: {
    type: "gauge",
    help: "Since when the job waits that has been due longest; absent while none is due",
    labels: { kind: null },
  },
  mails_waiting: { type: "gauge", help: "Mails that no server has taken yet, at most 1,000", labels: {} },
  mails_given_up: { type: "gauge", help: "Mails given up in the last 24 hours, at most 1,000", labels: {} },
  stripe_webhook_last_received_timestamp_seconds: {
    type: "gauge",
    help: "When the last event of Stripe came in; absent before the first",
    labels: {},
  },
  stripe_webhook_unhandled_events: {
    type: "gauge",
    help: "Events of Stripe that are stored and not handled yet, at most 1,000",
    labels: {},
  },
  stripe_webhook_oldest_unhandled_seconds: {
    type: "gauge",
    help: "Since when the oldest of them waits; 0: none",
    labels: {},
  },
  stripe_webhook_delay_seconds: {
    type: "gauge",
    help: "Of the last 100 events: how long 95 of them took from Stripe to here; absent before the first",
    labels: {},
  },
  reconcile_last_run_timestamp_seconds: {
    type: "gauge",
    help: "When all customers were last compared with Stripe; absent before the first time",
    labels: {},
  },
  reconcile_customers: {
    type: "gauge",
    help: "What that came to: compared, mended (they differed: drift), failed, orphans",
    labels: { result: ["compared", "mended", "failed", "orphans"] },
  },
  backup_last_success_timestamp_seconds: {
    type: "gauge",
    help: "When the last backup was finished; absent before the first",
    labels: {},
  },
  backup_last_checked_timestamp_seconds: {
    type: "gauge",
    help: "When one was last restored beside the database to check it; absent before the first time",
    labels: {},
  },
} as const satisfies Record<string, Metric>;

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
