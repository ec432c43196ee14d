import { expect, test } from "vitest";
import { checkCertificate, checkSite, describeCertificate } from "./site.server.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const DAY = 24 * 60 * 60 * 1000;

test.each([
  [60, null, "ok", "holds for 60 days"],
  [10, null, "warn", "holds for 10 days"],
  [1, null, "fail", "holds for 1 day more"],
  [-3, "CERT_HAS_EXPIRED", "fail", "has ended, 3 days ago"],
  [60, "DEPTH_ZERO_SELF_SIGNED_CERT", "fail", "do not trust the certificate: DEPTH_ZERO_SELF_SIGNED_CERT"],
])("a certificate for %i days more, distrusted for %s, is %s", (days, distrust, level, says) => {
  expect(describeCertificate(NOW + days * DAY, NOW, distrust)).toMatchObject({
    level,
    says: expect.stringContaining(says),
  });
});

test("an address where nobody is, with TLS and without", async () => {
  expect(await checkSite({ publicOrigin: "http://127.0.0.1:2" })).toMatchObject([
    { level: "fail", says: expect.stringContaining("cannot be reached from here: ECONNREFUSED") },
  ]);
  expect(await checkCertificate({ publicOrigin: "https://127.0.0.1:2" })).toMatchObject([
    { level: "fail", says: expect.stringContaining("ECONNREFUSED") },
  ]);
});
