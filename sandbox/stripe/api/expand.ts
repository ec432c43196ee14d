import { z } from "zod";
import { findObject, type Kind, listObjects } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { notInSandbox } from "./errors.ts";
import { type FormValue, list, readParams, text } from "./params.ts";

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

const expandSchema = z.object({ expand: list(text).optional() });

/**
 * Replaces ids named by `expand[]=data.items.data.price.product` with their objects, and adds fields that are hidden by default.
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
    // In sequence: a transaction has one connection.
    for (const item of node) expanded.push(await expandPath(tx, item, [field, ...rest]));
    return expanded.every(Boolean);
  }
  if (!isFields(node)) return false;
  if (node.object === "invoice" && field === "payments")
    node.payments = await listObjects(tx, "invoice_payment", { having: { invoice: node.id } });
  if (node.object === "charge" && field === "refunds")
    node.refunds = await listObjects(tx, "refund", { having: { charge: node.id }, limit: 10 });
  const kind = REFERENCES.get(field);
  const id = node[field];
  if (kind && typeof id === "string") node[field] = (await findObject(tx, kind, id)) ?? id;
  const value = node[field];
  return value !== undefined && typeof value !== "string" && expandPath(tx, value, rest);
}

function isFields(node: unknown): node is Record<string, unknown> {
  return typeof node === "object" && node !== null;
}
