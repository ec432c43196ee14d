import { index, layout, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  // The public pages: the same for everyone but for the header, no script, no cookie.
  index("marketing/home.tsx"),
  route("features", "marketing/features.tsx"),
  route("why-different", "marketing/why-different.tsx"),
  route("pricing", "marketing/pricing.tsx"),
  route("faq", "marketing/faq.tsx"),
  route("privacy", "marketing/privacy.tsx"),
  route("terms", "marketing/terms.tsx"),
  route("changelog", "marketing/changelog.tsx"),
  route("blog", "marketing/blog/blog.tsx"),
  route("blog/:post", "marketing/blog/post.tsx"),
  route("contact", "marketing/contact.tsx"),
  route("contact/sent", "marketing/contact-sent.tsx"),

  // The waitlist.
  route("waitlist", "waitlist/join.tsx"),
  route("waitlist/sent", "waitlist/sent.tsx"),
  route("waitlist/confirm", "waitlist/confirm.tsx"),
  route("waitlist/place", "waitlist/place.tsx"),
  route("waitlist/leave", "waitlist/leave.tsx"),

  // Ends product news by the link of its mails.
  route("news/unsubscribe", "news/unsubscribe.tsx"),

  // What a promo code would do, for pages with a box for one.
  route("promo/check", "promo/check.ts"),

  // The island of "Try it" tells that it is used, without what is typed.
  route("try-it", "marketing/try-it/tried.ts"),

  // Which pages browsers may prefetch.
  route("speculation-rules.json", "marketing/speculation-rules.ts"),

  // The account.
  route("login", "auth/login.tsx"),
  route("login/second-factor", "auth/second-factor/sign-in.tsx"),
  route("register", "auth/register.tsx"),
  route("logout", "auth/logout.tsx"),
  route("forgot-password", "auth/forgot-password.tsx"),
  route("forgot-password/sent", "auth/forgot-password-sent.tsx"),
  route("reset-password", "auth/reset-password.tsx"),
  // Signing in with Google or Facebook: by popup or form, the callback, and the outcome.
  route("auth/popup/done", "auth/providers/popup-done.tsx"),
  route("auth/popup/outcome", "auth/providers/popup-outcome.ts"),
  route("auth/popup/:provider", "auth/providers/popup-start.ts"),
  route("auth/start/:provider", "auth/providers/form-start.ts"),
  route("auth/callback/:provider", "auth/providers/callback.ts"),
  // What a browser's passkeys are asked.
  route("auth/passkey-options", "auth/second-factor/passkey-options.ts"),

  layout("account/signed-in.tsx", { id: "signed-in" }, [
    route("subscription", "billing/subscription.tsx"),
    // A plan that is paid for, in its customer's hands.
    route("subscription/cancel", "billing/plan/cancel.tsx"),
    route("subscription/change", "billing/plan/change.tsx"),
    route("subscription/refund", "billing/plan/refund.tsx"),
    route("subscription/withdraw", "billing/plan/withdraw.tsx"),
    route("subscription/invoices", "billing/plan/invoices.tsx"),
    route("dashboard", "account/dashboard.tsx"),
    route("dashboard/categories", "account/categories.tsx"),
    route("test-promo", "promo/test-promo.tsx"),
    route("account", "account/profile.tsx"),
    route("account/photo", "account/photo/photo.tsx"),
    route("account/confirm", "auth/confirm.tsx"),
    route("account/confirm/second-factor", "auth/second-factor/confirm.tsx"),
    route("account/second-factor", "auth/second-factor/second-factor.tsx"),
    route("account/second-factor/app", "auth/second-factor/app.tsx"),
    route("account/second-factor/passkey", "auth/second-factor/passkey.tsx"),
    route("account/second-factor/codes", "auth/second-factor/codes.tsx"),
    route("account/email", "auth/change-email.tsx"),
    route("account/password", "auth/change-password.tsx"),
    route("account/connections", "auth/providers/connections.tsx"),
    route("account/sessions", "auth/sessions.tsx"),
    route("account/delete", "account/delete.tsx"),
    // For a form of another account's page.
    route("account/other", "auth/other-account.tsx"),
    // Links in mails, for users signed in or out.
    route("verify-email", "auth/verify-email.tsx"),
    route("verify-email/sent", "auth/verify-email-sent.tsx"),
    route("verify-email/done", "auth/verify-email-done.tsx"),
    route("account/email/confirm", "auth/change-email-confirm.tsx"),
    route("account/email/changed", "auth/change-email-done.tsx"),
  ]),
  route("account/photo/:version", "account/photo/image.ts"),
  route("account/export", "account/export.ts"),
  route("account/time-zone", "account/time-zone.ts"),
  // After deleting the account.
  route("account/deleted", "account/deleted.tsx"),
  // Where password managers look for the page that changes a password.
  route(".well-known/change-password", "auth/well-known-change-password.ts"),

  // The operator's console: for addresses on the list, with a second factor; for everybody else it does not exist.
  layout("admin/console.tsx", { id: "console" }, [
    route("admin", "admin/overview/overview.tsx"),
    route("admin/funnel", "admin/funnel/funnel.tsx"),
    route("admin/search", "admin/search/search.tsx"),
    route("admin/people", "admin/people/people.tsx"),
    route("admin/people/:id", "admin/people/person.tsx"),
    route("admin/people/:id/give", "admin/people/give-access.tsx"),
    route("admin/people/:id/money", "admin/people/money.tsx"),
    route("admin/people/:id/delete", "admin/people/delete-person.tsx"),
    route("admin/codes", "admin/codes/codes.tsx"),
    route("admin/codes/:code", "admin/codes/code.tsx"),
    route("admin/codes/:code/edit", "admin/codes/edit-code.tsx"),
    route("admin/new-code", "admin/codes/new-code.tsx"),
    route("admin/batches", "admin/codes/batches.tsx"),
    route("admin/batches/new", "admin/codes/new-batch.tsx"),
    route("admin/batches/:batch", "admin/codes/batch.tsx"),
    route("admin/waitlist", "admin/waitlist/waitlist.tsx"),
    route("admin/waitlist/invite", "admin/waitlist/invite.tsx"),
    route("admin/waitlist/invitations/:invitation", "admin/waitlist/invitation.tsx"),
    route("admin/messages", "admin/messages/messages.tsx"),
    route("admin/messages/:message", "admin/messages/message.tsx"),
    route("admin/mail", "admin/mail/mails.tsx"),
    route("admin/mail/templates", "admin/mail/templates.tsx"),
    route("admin/mail/templates/:template", "admin/mail/template.tsx"),
    route("admin/mail/:mail", "admin/mail/mail.tsx"),
    route("admin/jobs", "admin/jobs/jobs.tsx"),
    route("admin/plans", "admin/plans/plans.tsx"),
    route("admin/features", "admin/features/features.tsx"),
    route("admin/changelog", "admin/changelog/changelog.tsx"),
    route("admin/changelog/:entry", "admin/changelog/entry.tsx"),
    route("admin/log", "admin/log/log.tsx"),
  ]),
  // Its lists as files: one module, which has something for each of these addresses.
  ...[
    "funnel",
    "people",
    "codes",
    "codes/:code/redemptions",
    "batches/:batch/codes",
    "waitlist",
    "waitlist/invitations/:invitation/people",
    "messages",
    "mail",
    "jobs",
    "log",
  ].map((list) => route(`admin/${list}.csv`, "admin/csv.ts", { id: `csv/${list}` })),
  route("admin/people/:id/export", "admin/people/export-person.ts"),
  route("admin/people/:id/photo", "admin/people/photo.ts"),
  route("admin/mail/templates/:template/html", "admin/mail/template-html.ts"),

  // The hosted app hands its signed-in users over.
  route("auth/handoff", "hosted-app/handoff.tsx"),

  // For crawlers.
  route("changelog/feed.xml", "marketing/crawlers/changelog-feed.ts"),
  route("blog/feed.xml", "marketing/crawlers/blog-feed.ts"),
  route("sitemap.xml", "marketing/crawlers/sitemap.ts"),
  route("robots.txt", "marketing/crawlers/robots.ts"),
  route("llms.txt", "marketing/crawlers/llms.ts"),
  route("manifest.webmanifest", "marketing/crawlers/manifest.ts"),
  route(".well-known/security.txt", "marketing/crawlers/security.ts"),

  // Endpoints for programs.
  route("api/token", "tokens/token.ts"),
  route(".well-known/jwks.json", "tokens/jwks.ts"),
  route("v1/accounts:update", "account/accounts-update.ts"),
  route("v1/projects", "account/projects.ts"),
  route("functions/us-central1/:name", "billing/callable.ts"),
  route("webhooks/stripe", "billing/stripe-webhook.ts"),
  // Unknown endpoints answer with JSON, not with a page.
  ...["functions", "v1", "api"].map((path) =>
    route(`${path}/*`, "http/unknown-endpoint.ts", { id: `unknown-endpoint-${path}` }),
  ),

  route("*", "marketing/not-found.tsx"),
] satisfies RouteConfig;
