import type { Transaction } from "../transaction.ts";
import type { FormFields } from "./form.ts";

/** One authenticated call of the API, as its endpoint sees it. */
export interface ApiCall {
  tx: Transaction;
  /** From the body of a POST, from the query of anything else; `expand` is taken out. */
  params: FormFields;
  /** The `:id` of the endpoint's path; empty where it has none. */
  id: string;
  /** Where the buyer's browser finds the hosted checkout pages. */
  publicOrigin: string;
}
