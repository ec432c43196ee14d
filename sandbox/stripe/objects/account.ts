import type Stripe from "stripe";
import type { ApiCall } from "../api/params.ts";

/** The one account the sandbox stands in for, with everything set up that Stripe asks for. */
export async function retrieveAccount(_call: ApiCall): Promise<Stripe.Account> {
  return {
    id: "acct_1Sandbox000000000",
    object: "account",
    business_profile: {
      annual_revenue: null,
      estimated_worker_count: null,
      mcc: "5734",
      minority_owned_business_designation: null,
      name: "Sandbox",
      product_description: null,
      specified_commercial_transactions_act_url: null,
      support_address: null,
      support_email: null,
      support_phone: null,
      support_url: null,
      url: null,
    },
    business_type: "company",
    capabilities: { card_payments: "active", transfers: "active" },
    charges_enabled: true,
    controller: { type: "account" },
    country: "US",
    created: 1_700_000_000,
    default_currency: "usd",
    details_submitted: true,
    email: "owner@shop.example",
    payouts_enabled: true,
    settings: {
      branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
      card_payments: {
        decline_on: { avs_failure: false, cvc_failure: false },
        statement_descriptor_prefix: "SANDBOX",
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      dashboard: { display_name: "Sandbox", timezone: "Etc/UTC" },
      payments: {
        statement_descriptor: "SANDBOX",
        statement_descriptor_kana: null,
        statement_descriptor_kanji: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      payouts: {
        debit_negative_balances: true,
        schedule: { delay_days: 2, interval: "daily" },
        statement_descriptor: null,
      },
    },
    type: "standard",
  };
}

/** What was charged and not given back; nothing is ever paid out. */
export async function retrieveBalance({ tx }: ApiCall): Promise<Stripe.Balance> {
  const { rows } = await tx.client.query<{ currency: string; amount: number }>(
    `SELECT object->>'currency' AS currency,
            sum((object->>'amount_captured')::float8 - (object->>'amount_refunded')::float8) AS amount
     FROM sandbox_stripe.objects WHERE kind = 'charge' AND object->>'status' = 'succeeded'
     GROUP BY 1 ORDER BY 1`,
  );
  const amounts = rows.length > 0 ? rows : [{ currency: "usd", amount: 0 }];
  return {
    object: "balance",
    available: amounts.map(({ currency }) => ({ amount: 0, currency, source_types: { card: 0 } })),
    livemode: false,
    pending: amounts.map(({ currency, amount }) => ({ amount, currency, source_types: { card: amount } })),
  };
}
