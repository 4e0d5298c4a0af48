/** Share of would-be incumbents that a rule lost, and its gain. */
export interface Setting {
  error: number;
  gain: number;
}

/**
 * Gain of a rule with a knob at some error: of the settings that err no more the best, or a line to the next bolder one
 * where that is higher. It never falls as the error grows. Null where all err more: none is so shy.
 */
export function gainAt(settings: readonly Setting[], error: number): number | null {
  const sorted = [...settings].sort((a, b) => a.error - b.error || a.gain - b.gain);
  const within = sorted.filter((one) => one.error <= error);
  const [below, above] = [within.at(-1), sorted[within.length]];
  if (!below) return null;
  const best = Math.max(...within.map(({ gain }) => gain));
  if (!above) return best;
  const way = (error - below.error) / (above.error - below.error);
  return Math.max(best, below.gain + way * (above.gain - below.gain));
}
