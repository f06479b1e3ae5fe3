export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? sorted[Math.floor(middle)]
    : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function percentiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  return { p50: at(0.5), p99: at(0.99) };
}

/** Returns median, smallest and largest quotient of two series that were measured in the same rounds. */
export function ratio(values, others) {
  const quotients = values.map((value, round) => value / others[round]);
  return {
    median: median(quotients),
    least: Math.min(...quotients),
    most: Math.max(...quotients),
  };
}
