import { expect, test } from "vitest";
import { headlineOf } from "./share-picture.ts";

test.each([
  ["Your money, in your own words.", "Your money, in", "your own words"],
  ["Money you named yourself, category by category", "Money you named yourself, category", "by category"],
  ["Own it", "Own", "it"],
  ["Ownwords", "", "Ownwords"],
  ["One extraordinarily uncharacteristic word", "One extraordinarily uncharacteristic", "word"],
])("%s: the last words stand on the label", (headline, text, label) => {
  expect(headlineOf(headline)).toEqual({ text, label });
});
