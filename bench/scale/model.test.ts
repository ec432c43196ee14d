import { expect, test } from "vitest";
import { type Demand, readKeptDemands } from "../demand-table.ts";
import { NAMES } from "../operations.ts";
import { type Calibration, costOfMillion, type Deployment, limitsOf, mixOf } from "./model.ts";
import { readParameters } from "./parameters.ts";

const DEMAND: Demand = { main: 4, others: 0, postgres: 4, wal: 1000, transactions: 1, bytes: 10_000 };
const CALIBRATION: Calibration = {
  demands: new Map([...readKeptDemands().keys()].map((operation) => [operation, DEMAND])),
  flush: 1,
};
const HERE: Deployment = {
  name: "",
  ...{ processes: 1, siteCores: 2, postgresCores: 0, hasCdn: false, hasPooler: false, partitions: 1 },
};
const given = readParameters([]);
const redeeming = new Map([[NAMES.REDEMPTION, 1]]);
const first = (deployment: Partial<Deployment>) =>
  limitsOf(redeeming, { ...HERE, ...deployment }, CALIBRATION, given)[0];

test("one process ends at its main thread, two at the processors they share with PostgreSQL", () => {
  expect(first({ siteCores: 4 })).toMatchObject({ resource: "the processes' main threads", perSecond: 250 });
  expect(first({ processes: 2 })).toMatchObject({ resource: "the machine's processors", perSecond: 250 });
  expect(first({ processes: 8, siteCores: 8, postgresCores: 2 })).toMatchObject({
    resource: "PostgreSQL's processors",
    perSecond: 500,
  });
});

test("a CDN takes public pages only, and dividing users multiplies the databases", () => {
  const pages = new Map([[NAMES.PUBLIC_PAGE, 1]]);
  const perSecond = (deployment: Partial<Deployment>, mix: typeof pages) =>
    limitsOf(mix, { ...HERE, ...deployment }, CALIBRATION, given)[0]?.perSecond ?? 0;
  expect(perSecond({ hasCdn: true }, pages) / perSecond({}, pages)).toBeCloseTo(10, 5);
  expect(perSecond({ hasCdn: true }, redeeming)).toBe(perSecond({}, redeeming));
  const large = { processes: 64, siteCores: 64, postgresCores: 2 };
  expect(perSecond({ ...large, partitions: 4 }, redeeming)).toBe(4 * perSecond(large, redeeming));
});

test("a million costs what its processors, bytes and mails cost", () => {
  const costs = costOfMillion(redeeming, CALIBRATION, readParameters(["--used=1", "--coreMonth=730"]));
  expect(costs.get("core hours")).toBeCloseTo(8 / 3.6, 5);
  expect(costs.get("price of the processors")).toBeCloseTo(8 / 3.6, 5);
  expect(costs.get("gigabytes sent")).toBe(10);
  expect(costOfMillion(mixOf(given), CALIBRATION, given).get("price of the mails")).toBe(50);
});

test("a flag that is none is refused, and what was measured is there to calculate with", () => {
  expect(() => readParameters(["--pagse=5"])).toThrow("--pagse=5");
  expect(() => readParameters(["--pages=many"])).toThrow();
  for (const demand of readKeptDemands().values())
    for (const value of Object.values(demand)) expect(value).toBeGreaterThanOrEqual(0);
});
