import { data } from "react-router";
import { readForm } from "../../http/form.server.ts";

/** The button of a code or a batch. @returns whether it pauses. @throws the 400 page for anything else */
export async function readPauseOrder(request: Request): Promise<boolean> {
  const order = (await readForm(request)).get("do");
  if (order !== "pause" && order !== "resume") throw data(null, { status: 400 });
  return order === "pause";
}
