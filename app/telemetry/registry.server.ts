import type { Counter, Gauge, Histogram } from "prom-client";
import { COUNTED, MEASURED, type MeasuredName, type Meters, type Metric, READ } from "./metrics.ts";

export interface Sample {
  name: MeasuredName;
  value: number;
  labels?: Record<string, string>;
}

/** Loads prom-client, which processes without metrics need not pay for. */
export async function createRegistry() {
  const client = (await import("prom-client")).default;
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  const counted = new Map<string, Counter | Histogram>();
  for (const [name, metric] of Object.entries<Metric>(COUNTED)) {
    const common = { name, help: metric.help, labelNames: Object.keys(metric.labels), registers: [registry] };
    if (metric.type === "histogram") {
      counted.set(name, new client.Histogram({ ...common, buckets: [...(metric.buckets ?? [])] }));
    } else {
      const counter = new client.Counter(common);
      counted.set(name, counter);
      for (const labels of knownLabels(metric)) counter.inc(labels, 0);
    }
  }
  const gauges = new Map<string, Gauge>();
  for (const [name, { help, labels }] of Object.entries<Metric>({ ...MEASURED, ...READ }))
    gauges.set(
      name,
      new client.Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] }),
    );
  const meters: Meters = {
    record(name, labels, amount = 1) {
      const metric = counted.get(name);
      if (metric && "inc" in metric) metric.inc(labels, amount);
      else metric?.observe(labels, amount);
    },
  };
  return {
    meters,
    contentType: registry.contentType,
    render: () => registry.metrics(),
    /** What is not among the samples is absent. */
    replace(names: readonly MeasuredName[], samples: readonly Sample[]): void {
      for (const name of names) forget(gauges.get(name));
      for (const { name, value, labels } of samples)
        if (Number.isFinite(value)) gauges.get(name)?.set(labels ?? {}, value);
    },
  };
}

/** `reset` would give a gauge without labels the value 0. */
function forget(gauge: Gauge | undefined): void {
  gauge?.reset();
  gauge?.remove({});
}

/** A counter starts at 0, so that its first increase is seen. */
function knownLabels({ labels }: Metric): Record<string, string>[] {
  const [only, ...others] = Object.entries(labels);
  return only && others.length === 0 ? (only[1] ?? []).map((value) => ({ [only[0]]: value })) : [];
}
