import { data, redirect } from "react-router";
import { timeZoneName } from "../auth/person-fields.server.ts";
import { requireUser } from "../auth/session.server.ts";
import { setTimeZone } from "../auth/users.server.ts";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import type { Route } from "./+types/time-zone.ts";

export const loader = () => redirect("/account");

export async function action(args: Route.ActionArgs) {
  const { id } = await requireUser(args);
  const zone = timeZoneName.parse((await readForm(args.request)).get("time_zone"));
  if (!zone) throw data(null, { status: 400 });
  await setTimeZone(fromContext(args.context).app.db, id, zone);
  return null;
}
