import { expect, test } from "vitest";
import { passwordProblem } from "./password-rules.server.ts";

const OWNER = { name: "Ada Lovelace", email: "ada.l@countess.example", product: "Ownwords" };

test.each([
  "correct horse battery",
  "correct horse battery staple",
  "tomaten im regen 1987",
  "пароль, который никто не знает",
  "💶 kaffee 🐢 montag ☂",
  "' OR 1=1; -- as a password",
  "ada likes green umbrellas",
  "vK9#mQ2$xL7!",
])("%s is taken", async (password) => expect(await passwordProblem(password, OWNER)).toBeNull());

test.each([
  "passwordpassword",
  "password123456",
  "123456789012",
  "qwertyuiopas",
  "aaaaaaaaaaaa",
  "iloveyouiloveyou",
  "Passw0rd!Passw0rd!",
  "abcdefghijkl",
])("%s is common", async (password) =>
  expect(await passwordProblem(password, OWNER)).toMatch(/harder to guess/),
);

test.each([
  "ownwords2026!",
  "OWNWORDSownwords",
  "adalovelace12",
  "Ada Lovelace",
  "ada.l@countess.example",
  "countess-lovelace",
])("%s is made of its owner's words", async (password) =>
  expect(await passwordProblem(password, OWNER)).toMatch(/your name/),
);

test("the longest password there may be takes no time to speak of", async () => {
  const before = process.threadCpuUsage();
  await passwordProblem("Ab1!".repeat(32), OWNER);
  await passwordProblem("qwertyqwerty12345678".repeat(6), OWNER);
  // Not by the clock: other tests run beside this one.
  expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
});
