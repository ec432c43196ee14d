import { z } from "zod";
import { paymentsOf } from "../invoices/payments.ts";
import { findObject, type Kind } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { notInSandbox } from "./errors.ts";
import type { FormValue } from "./form.ts";
import { list, readParams, text } from "./params.ts";

/** The fields whose id can be expanded into the object, and its kind. */
const REFERENCES = new Map<string, Kind>([
  ["customer", "customer"],
  ["default_payment_method", "payment_method"],
  ["latest_charge", "charge"],
  ["latest_invoice", "invoice"],
  ["payment_intent", "payment_intent"],
  ["product", "product"],
  ["schedule", "subscription_schedule"],
]);

/** The fields that are shown only when expanded: `object.field`. */
const INCLUDABLE = new Map<string, (tx: Transaction, id: string) => Promise<unknown>>([
  ["invoice.payments", paymentsOf],
]);

const expandSchema = z.object({ expand: list(text).optional() });

/**
 * Replaces the ids that `expand[]=data.items.data.price.product` names by the objects, and adds what is not shown otherwise.
 * Changes the answer in place. https://docs.stripe.com/api/expanding_objects
 *
 * @throws 501 for what cannot be expanded here; Stripe has a 400 for what it cannot expand
 */
export async function expandAnswer(tx: Transaction, answer: object, expand: FormValue | undefined) {
  const { expand: paths = [] } = readParams(expandSchema, expand === undefined ? {} : { expand });
  for (const path of paths) {
    if (!(await expandPath(tx, answer, path.split(".")))) throw notInSandbox(`expand[]=${path}`);
  }
}

/** Whether there was something to expand, or nothing at all. */
async function expandPath(tx: Transaction, node: unknown, [field, ...rest]: string[]): Promise<boolean> {
  if (field === undefined || node === null) return true;
  if (Array.isArray(node)) {
    const expanded = [];
    for (const item of node) expanded.push(await expandPath(tx, item, [field, ...rest]));
    return expanded.every(Boolean);
  }
  if (!isFields(node)) return false;
  await expandField(tx, node, field);
  const value = node[field];
  return value !== undefined && typeof value !== "string" && expandPath(tx, value, rest);
}

async function expandField(tx: Transaction, node: Record<string, unknown>, field: string): Promise<void> {
  const include = INCLUDABLE.get(`${node.object}.${field}`);
  if (include) node[field] = await include(tx, String(node.id));
  const kind = REFERENCES.get(field);
  const ids = node[field];
  if (!kind || ids === undefined) return;
  if (!Array.isArray(ids)) {
    node[field] = await expandId(tx, kind, ids);
    return;
  }
  // One after the other: a transaction has one connection.
  for (const [at, id] of ids.entries()) ids[at] = await expandId(tx, kind, id);
}

async function expandId(tx: Transaction, kind: Kind, id: unknown): Promise<unknown> {
  return typeof id === "string" ? ((await findObject(tx, kind, id)) ?? id) : id;
}

function isFields(node: unknown): node is Record<string, unknown> {
  return typeof node === "object" && node !== null;
}
