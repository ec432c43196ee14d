import type { EndpointEntry } from "../api/endpoint.ts";
import { createBalanceTransaction, listBalanceTransactions } from "./balance-transactions.ts";
import { listInvoicePayments, retrieveInvoicePayment } from "./invoice-payments.ts";
import {
  finalizeInvoiceNow,
  listInvoiceLines,
  listInvoices,
  markInvoiceUncollectible,
  payInvoice,
  retrieveInvoice,
  updateInvoice,
  voidInvoiceNow,
} from "./invoices.ts";

export const INVOICE_ENDPOINTS: EndpointEntry[] = [
  ["POST", "/v1/customers/:id/balance_transactions", createBalanceTransaction],
  ["GET", "/v1/customers/:id/balance_transactions", listBalanceTransactions],

  ["GET", "/v1/invoices", listInvoices],
  ["GET", "/v1/invoices/:id", retrieveInvoice],
  ["POST", "/v1/invoices/:id", updateInvoice],
  ["GET", "/v1/invoices/:id/lines", listInvoiceLines],
  ["POST", "/v1/invoices/:id/finalize", finalizeInvoiceNow],
  ["POST", "/v1/invoices/:id/pay", payInvoice],
  ["POST", "/v1/invoices/:id/void", voidInvoiceNow],
  ["POST", "/v1/invoices/:id/mark_uncollectible", markInvoiceUncollectible],

  ["GET", "/v1/invoice_payments", listInvoicePayments],
  ["GET", "/v1/invoice_payments/:id", retrieveInvoicePayment],
];
