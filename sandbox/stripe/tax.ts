import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "./api/errors.ts";
import { type ApiCall, boolean, integerBetween, readParams } from "./api/params.ts";
import { readKnobs } from "./faults.ts";
import { stripeObject } from "./store.ts";
import type { Transaction } from "./transaction.ts";

type Address = Pick<Stripe.Address, "country" | "state" | "postal_code">;

interface Registration {
  country: string;
  /** Only this state of the country; all of it, if left out. */
  state?: string;
  /** Thousandths of a percent, so that amounts stay whole numbers. */
  rate: number;
  name: string;
}

/** Where the seller is registered. Stripe charges nothing anywhere else: https://docs.stripe.com/tax/registering */
const REGISTRATIONS: readonly Registration[] = [
  { country: "US", state: "CA", rate: 8_500, name: "Sales tax" },
  { country: "US", state: "NY", rate: 8_875, name: "Sales tax" },
  { country: "DE", rate: 19_000, name: "VAT" },
  { country: "GB", rate: 20_000, name: "VAT" },
];

export const automaticTaxParam = z.strictObject({ enabled: boolean }).optional();

/** Whether Stripe knows enough of an address: https://docs.stripe.com/tax/customer-locations#supported-formats */
export function isTaxable(address: Partial<Address> | null | undefined): address is Address {
  if (!address?.country) return false;
  if (address.country === "US") return Boolean(address.postal_code);
  return address.country !== "CA" || Boolean(address.postal_code || address.state);
}

function registrationAt({ country, state }: Address): Registration | undefined {
  return REGISTRATIONS.find(
    (each) => each.country === country && (!each.state || each.state === state?.toUpperCase()),
  );
}

/** "Sales tax (8.5%)" */
export function nameOfTax(address: Partial<Address> | null | undefined): string {
  const registration = isTaxable(address) && registrationAt(address);
  return registration ? `${registration.name} (${registration.rate / 1000}%)` : "Tax";
}

/** The tax on an amount, in minor units, rounded half away from zero; a credit's is negative. */
export function taxOn(amount: number, address: Partial<Address> | null | undefined): number {
  const registration = isTaxable(address) ? registrationAt(address) : undefined;
  return Math.sign(amount) * Math.round((Math.abs(amount) * (registration?.rate ?? 0)) / 100_000);
}

/** The taxes of an invoice's line: one, or none where the seller is not registered. All are added to the price. */
export function taxesOn(amount: number, address: Address): Stripe.InvoiceLineItem.Tax[] {
  const registration = registrationAt(address);
  if (!registration) return [];
  const { country, state } = registration;
  return [
    {
      amount: taxOn(amount, address),
      tax_behavior: "exclusive",
      tax_rate_details: { tax_rate: `txr_${[country, state].filter(Boolean).join("_").toLowerCase()}` },
      taxability_reason: "standard_rated",
      taxable_amount: amount,
      type: "tax_rate_details",
    },
  ];
}

/** @throws Stripe's 400 while the account's tax settings are not finished */
export async function assertTaxIsActive(tx: Transaction): Promise<void> {
  if ((await readKnobs(tx.client)).tax === "active") return;
  const message =
    "Stripe Tax has not been activated on your account. Please visit https://dashboard.stripe.com/settings/tax to get started.";
  throw invalidRequest(message, { code: "stripe_tax_inactive" });
}

/** @throws Stripe's 400 when automatic tax is asked for and cannot be had */
export async function assertMayBeTaxed(
  tx: Transaction,
  automaticTax: z.output<typeof automaticTaxParam>,
  { address }: Pick<Stripe.Customer, "address">,
): Promise<void> {
  if (!automaticTax?.enabled) return;
  await assertTaxIsActive(tx);
  if (isTaxable(address)) return;
  const message =
    "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax.";
  throw invalidRequest(message, { code: "customer_tax_location_invalid" });
}

/** https://docs.stripe.com/api/tax/settings/retrieve */
export async function retrieveTaxSettings({ tx, params }: ApiCall): Promise<Stripe.Tax.Settings> {
  readParams(z.strictObject({}), params);
  const isActive = (await readKnobs(tx.client)).tax === "active";
  return stripeObject<Stripe.Tax.Settings>({
    object: "tax.settings",
    defaults: { provider: "stripe", tax_behavior: "exclusive", tax_code: "txcd_10103000" },
    head_office: isActive ? { address: { country: "US", state: "CA", postal_code: "94103" } } : null,
    status: isActive ? "active" : "pending",
    status_details: isActive ? { active: {} } : { pending: { missing_fields: ["head_office"] } },
  });
}

const registrationsSchema = z.strictObject({
  limit: integerBetween(1, 100).default(10),
  status: z.enum(["active", "all", "expired", "scheduled"]).optional(),
});

/** https://docs.stripe.com/api/tax/registrations/all */
export async function listTaxRegistrations({ params, path }: ApiCall): Promise<object> {
  const { limit, status = "all" } = readParams(registrationsSchema, params);
  const registrations = REGISTRATIONS.map(({ country, state }) =>
    stripeObject<Stripe.Tax.Registration>({
      id: `taxreg_${[country, state].filter(Boolean).join("_").toLowerCase()}`,
      object: "tax.registration",
      country,
      status: "active",
    }),
  );
  const found = status === "active" || status === "all" ? registrations : [];
  return { object: "list", data: found.slice(0, limit), has_more: found.length > limit, url: path };
}
