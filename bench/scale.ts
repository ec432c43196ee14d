import { readKeptDemands } from "./demand-table.ts";
import { FLUSH } from "./demands.ts";
import type { Figure } from "./figures.ts";
import { isWriting, readKept } from "./keep.ts";
import { OPERATIONS } from "./operations.ts";
import { numberIn } from "./points.ts";
import { checkModel } from "./scale/check.ts";
import { tablesOf, writeDocument } from "./scale/document.ts";
import type { Calibration } from "./scale/model.ts";
import { readParameters } from "./scale/parameters.ts";
import { byChance, meanOf, meanWait, simulateWaits } from "./scale/queue.ts";

const SIMULATED = 200_000;
const SEED = 15;
/** How far a simulated mean may be from the formula's. */
const MOST_TIMES_OFF = 1.07;

/**
 * Calculates where the site breaks first as it grows, and what it costs then, from the measurements in docs/measurements.md and
 * the assumptions of scale/parameters.ts, and checks the model by measuring what it predicts. With `--write`, and no assumption
 * changed by a flag, docs/scale.md has the tables.
 *
 * @returns how far the simulation is from Erlang's formula, and the model from what was measured
 */
export async function run(): Promise<Figure[]> {
  const flags = process.argv.slice(3);
  const calibration = readCalibration();
  const tables = tablesOf(calibration, readParameters(flags));
  for (const [place, table] of tables) console.log(`\n${place}\n\n${table}`);
  if (isWriting && flags.length === 0) writeDocument(tables);
  return [simulationFigure(), ...(await checkModel(calibration))];
}

/** What was measured. @throws when it was not */
function readCalibration(): Calibration {
  const demands = readKeptDemands();
  const rows = readKept();
  const flush = numberIn(rows.find(({ figure }) => figure === FLUSH)?.value ?? "");
  if (Number.isNaN(flush) || OPERATIONS.some(({ name }) => !demands.has(name)))
    throw new Error("what an operation takes was not measured: npm run bench -- demands --write");
  return { demands, flush };
}

/** Beside a formula that is known to be right, for two servers at 80 % of what they can do. */
function simulationFigure(): Figure {
  const queue = { servers: 2, arrivals: 1.6, service: 1 };
  const ratio = meanOf(simulateWaits(queue, byChance, SIMULATED, SEED)) / meanWait(queue);
  return {
    name: "the simulated line beside Erlang's formula, how far off",
    value: Math.max(ratio, 1 / ratio),
    unit: "×",
    limit: { most: MOST_TIMES_OFF },
  };
}
