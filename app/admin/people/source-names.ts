export const SOURCE_NAMES = { paid: "Paid", promo: "Promo code", admin: "Given by us" } as const;
