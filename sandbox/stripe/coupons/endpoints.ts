import type { EndpointEntry } from "../api/endpoint.ts";
import { createCoupon, deleteCoupon, listCoupons, retrieveCoupon, updateCoupon } from "./coupons.ts";
import {
  createPromotionCode,
  listPromotionCodes,
  retrievePromotionCode,
  updatePromotionCode,
} from "./promotion-codes.ts";
import { deleteCustomerDiscount, deleteSubscriptionDiscount } from "./redemption.ts";

export const COUPON_ENDPOINTS: EndpointEntry[] = [
  ["DELETE", "/v1/subscriptions/:id/discount", deleteSubscriptionDiscount],

  ["POST", "/v1/coupons", createCoupon],
  ["GET", "/v1/coupons", listCoupons],
  ["GET", "/v1/coupons/:id", retrieveCoupon],
  ["POST", "/v1/coupons/:id", updateCoupon],
  ["DELETE", "/v1/coupons/:id", deleteCoupon],

  ["POST", "/v1/promotion_codes", createPromotionCode],
  ["GET", "/v1/promotion_codes", listPromotionCodes],
  ["GET", "/v1/promotion_codes/:id", retrievePromotionCode],
  ["POST", "/v1/promotion_codes/:id", updatePromotionCode],

  ["DELETE", "/v1/customers/:id/discount", deleteCustomerDiscount],
];
