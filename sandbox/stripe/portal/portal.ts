import { pageResponse } from "../../page/responses.ts";
import { readHostedForm } from "../../request-body.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { findObject } from "../store.ts";
import { inTransaction, type Site } from "../transaction.ts";
import {
  authenticateCard,
  removeCard,
  saveCard,
  setDefaultCard,
  showAuthentication,
  showCardForm,
} from "./cards.ts";
import { saveDetails, showDetails } from "./details.ts";
import { showHome } from "./home.ts";
import { expiredPage, notFoundPage } from "./portal-page.ts";
import { visitPortalSession } from "./sessions.ts";
import type { Visit } from "./visit.ts";

type Answer = (visit: Visit) => Promise<Response>;

/** Every address below that of a session. */
const ROUTES: [method: "GET" | "POST", path: string, answer: Answer][] = [
  // A session with a flow starts with that: https://docs.stripe.com/customer-management/portal-deep-links
  ["GET", "", (visit) => (visit.session.flow ? showCardForm(visit) : showHome(visit))],
  ["GET", "home", showHome],
  ["GET", "card", showCardForm],
  ["POST", "card", saveCard],
  ["GET", "card/:id/authenticate", showAuthentication],
  ["POST", "card/:id/authenticate", authenticateCard],
  ["POST", "card/:id/default", setDefaultCard],
  ["POST", "card/:id/remove", removeCard],
  ["GET", "details", showDetails],
  ["POST", "details", saveDetails],
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
  const [, , answer] = route;
  const fields = (await readHostedForm(request)) ?? new URLSearchParams();
  return inTransaction(site, null, async (tx) => {
    await enterTimeOf(tx, [sessionId], { lock: request.method === "POST" });
    const session = await visitPortalSession(tx, sessionId);
    if (session === null) return pageResponse(404, notFoundPage());
    if (session === "expired") {
      const over = await findObject(tx, "billing_portal.session", sessionId);
      return pageResponse(410, expiredPage(over?.return_url ?? null));
    }
    const customer = await findObject(tx, "customer", session.customer);
    if (!customer || customer.deleted) return pageResponse(404, notFoundPage());
    return answer({ tx, session, customer, base: `/sandbox/stripe/portal/${sessionId}`, id, fields });
  });
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
