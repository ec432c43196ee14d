import { z } from "zod";
import { lineItemsOf } from "../checkout/order.ts";
import { findObject, type Kind } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { FormValue } from "./form.ts";
import { list, readParams, text } from "./params.ts";

/** The fields whose id can be expanded into the object, and its kind. */
const REFERENCES = new Map<string, Kind>([
  ["customer", "customer"],
  ["product", "product"],
  ["subscription", "subscription"],
]);

const expandSchema = z.object({ expand: list(text).optional() });

/**
 * Replaces the ids that `expand[]=data.items.data.price.product` names by the objects, and adds a session's `line_items`.
 * Unknown paths are ignored, where Stripe answers with an error. Changes the answer in place.
 * https://docs.stripe.com/api/expanding_objects
 */
export async function expandAnswer(tx: Transaction, answer: object, expand: FormValue | undefined) {
  const { expand: paths = [] } = readParams(expandSchema, expand === undefined ? {} : { expand });
  for (const path of paths) await expandPath(tx, answer, path.split("."));
}

async function expandPath(tx: Transaction, node: unknown, [field, ...rest]: string[]): Promise<void> {
  if (field === undefined) return;
  if (Array.isArray(node)) {
    for (const item of node) await expandPath(tx, item, [field, ...rest]);
  } else if (isFields(node)) {
    await expandField(tx, node, field);
    await expandPath(tx, node[field], rest);
  }
}

async function expandField(tx: Transaction, node: Record<string, unknown>, field: string): Promise<void> {
  if (field === "line_items" && node.object === "checkout.session") {
    const session = await findObject(tx, "checkout.session", String(node.id));
    if (session) node[field] = await lineItemsOf(tx, session);
  }
  const kind = REFERENCES.get(field);
  const id = node[field];
  if (kind && typeof id === "string") node[field] = (await findObject(tx, kind, id)) ?? id;
}

function isFields(node: unknown): node is Record<string, unknown> {
  return typeof node === "object" && node !== null;
}
