import type { EndpointEntry } from "../api/endpoint.ts";
import { listCharges, retrieveCharge } from "./charges.ts";
import { closeDispute, listDisputes, retrieveDispute, updateDispute } from "./disputes.ts";
import {
  confirmPaymentIntent,
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
} from "./payment-intents.ts";
import {
  attachPaymentMethod,
  createPaymentMethod,
  detachPaymentMethod,
  listPaymentMethods,
  listPaymentMethodsOfCustomer,
  retrievePaymentMethod,
  updatePaymentMethod,
} from "./payment-methods.ts";
import { createRefund, listRefunds, retrieveRefund, updateRefund } from "./refunds.ts";
import {
  confirmSetupIntent,
  createSetupIntent,
  listSetupIntents,
  retrieveSetupIntent,
} from "./setup-intents.ts";

export const PAYMENT_ENDPOINTS: EndpointEntry[] = [
  ["POST", "/v1/payment_methods", createPaymentMethod],
  ["GET", "/v1/payment_methods", listPaymentMethods],
  ["GET", "/v1/payment_methods/:id", retrievePaymentMethod],
  ["POST", "/v1/payment_methods/:id", updatePaymentMethod],
  ["POST", "/v1/payment_methods/:id/attach", attachPaymentMethod],
  ["POST", "/v1/payment_methods/:id/detach", detachPaymentMethod],

  ["GET", "/v1/customers/:id/payment_methods", listPaymentMethodsOfCustomer],

  ["POST", "/v1/setup_intents", createSetupIntent],
  ["GET", "/v1/setup_intents", listSetupIntents],
  ["GET", "/v1/setup_intents/:id", retrieveSetupIntent],
  ["POST", "/v1/setup_intents/:id/confirm", confirmSetupIntent],

  ["POST", "/v1/payment_intents", createPaymentIntent],
  ["GET", "/v1/payment_intents", listPaymentIntents],
  ["GET", "/v1/payment_intents/:id", retrievePaymentIntent],
  ["POST", "/v1/payment_intents/:id/confirm", confirmPaymentIntent],

  ["GET", "/v1/charges", listCharges],
  ["GET", "/v1/charges/:id", retrieveCharge],

  ["POST", "/v1/refunds", createRefund],
  ["GET", "/v1/refunds", listRefunds],
  ["GET", "/v1/refunds/:id", retrieveRefund],
  ["POST", "/v1/refunds/:id", updateRefund],

  ["GET", "/v1/disputes", listDisputes],
  ["GET", "/v1/disputes/:id", retrieveDispute],
  ["POST", "/v1/disputes/:id", updateDispute],
  ["POST", "/v1/disputes/:id/close", closeDispute],
];
