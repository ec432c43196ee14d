import { pageResponse } from "../../page/responses.ts";
import { readBody } from "../../request-body.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { findObject } from "../store.ts";
import { inTransaction, type Site } from "../transaction.ts";
import { cancelPlan, keepPlan, showCancellation } from "./cancel.ts";
import { confirmCard, removeCard, saveCard, setDefaultCard, showCardForm } from "./cards.ts";
import { changePlan, showChange } from "./change.ts";
import { saveDetails, showDetails } from "./details.ts";
import { showConfirmation, showHome } from "./home.ts";
import { expiredPage, notFoundPage } from "./portal-page.ts";
import { configurationOf, visitPortalSession } from "./sessions.ts";
import type { Answer, Visit } from "./visit.ts";

type Feature = keyof Visit["features"];

/** Every address below that of a session, and the feature without which it does not exist. */
const ROUTES: [method: "GET" | "POST", path: string, answer: Answer, feature?: Feature][] = [
  ["GET", "", showFirst],
  ["GET", "home", showHome],
  ["GET", "confirmed", showConfirmation],
  ["GET", "card", showCardForm, "payment_method_update"],
  ["POST", "card", saveCard, "payment_method_update"],
  ["GET", "card/authenticated", confirmCard, "payment_method_update"],
  ["POST", "card/:id/default", setDefaultCard, "payment_method_update"],
  ["POST", "card/:id/remove", removeCard, "payment_method_update"],
  ["GET", "details", showDetails, "customer_update"],
  ["POST", "details", saveDetails, "customer_update"],
  ["GET", "cancel/:id", showCancellation, "subscription_cancel"],
  ["POST", "cancel/:id", cancelPlan, "subscription_cancel"],
  ["POST", "keep/:id", keepPlan, "subscription_cancel"],
  ["GET", "change/:id", showChange, "subscription_update"],
  ["POST", "change/:id", changePlan, "subscription_update"],
];

/** Stands in for billing.stripe.com: `path` is the session's id, and which of its pages. */
export async function handlePortal(request: Request, path: string, site: Site): Promise<Response> {
  const [sessionId = "", ...rest] = path.split("/");
  const { routes, id } = findRoutes(rest.join("/"));
  if (routes.length === 0) return pageResponse(404, notFoundPage());
  const route = routes.find(([method]) => method === request.method);
  if (!route) {
    return new Response(null, {
      status: 405,
      headers: { allow: routes.map(([method]) => method).join(", ") },
    });
  }
  const [, , answer, feature] = route;
  const fields = await readFields(request);
  return inTransaction(site, null, async (tx) => {
    await enterTimeOf(tx, [sessionId], { lock: request.method === "POST" });
    const session = await visitPortalSession(tx, sessionId);
    if (session === null) return pageResponse(404, notFoundPage());
    if (session === "expired") {
      const over = await findObject(tx, "billing_portal.session", sessionId);
      return pageResponse(410, expiredPage(over?.return_url ?? null));
    }
    const customer = await findObject(tx, "customer", session.customer);
    const { features } = await configurationOf(tx, session);
    if (!customer || customer.deleted || (feature && !features[feature].enabled)) {
      return pageResponse(404, notFoundPage());
    }
    return answer({
      tx,
      session,
      features,
      customer,
      base: `/sandbox/stripe/portal/${sessionId}`,
      id,
      fields,
    });
  });
}

/** A session with a flow starts, and may end, with that: https://docs.stripe.com/customer-management/portal-deep-links */
function showFirst(visit: Visit): Promise<Response> {
  const { flow } = visit.session;
  switch (flow?.type) {
    case "payment_method_update":
      return showCardForm(visit);
    case "customer_update":
      return showDetails(visit);
    case "subscription_cancel":
      return showCancellation({ ...visit, id: flow.subscription_cancel?.subscription ?? "" });
    case "subscription_update":
      return showChange({ ...visit, id: flow.subscription_update?.subscription ?? "" });
    case "subscription_update_confirm": {
      const { subscription = "", items = [] } = flow.subscription_update_confirm ?? {};
      const fields = new URLSearchParams({ price: items[0]?.price ?? "" });
      return showChange({ ...visit, id: subscription, fields });
    }
    default:
      return showHome(visit);
  }
}

function findRoutes(path: string) {
  const segments = path.split("/");
  const routes = ROUTES.filter(([, pattern]) => {
    const known = pattern.split("/");
    return (
      known.length === segments.length && known.every((part, at) => part === ":id" || part === segments[at])
    );
  });
  return { routes, id: segments[routes[0]?.[1].split("/").indexOf(":id") ?? -1] ?? "" };
}

/** The typed fields of a POST, which are few; otherwise the query. */
async function readFields(request: Request): Promise<URLSearchParams> {
  const encoded = request.method === "GET" ? new URL(request.url).search : ((await readBody(request)) ?? "");
  const fields = new URLSearchParams(encoded);
  // PostgreSQL text cannot hold NUL.
  for (const [name, value] of [...fields]) fields.set(name, value.replaceAll("\0", ""));
  return fields;
}
