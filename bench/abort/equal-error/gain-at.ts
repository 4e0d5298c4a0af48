/** Error of a rule (the share of would-be incumbents that it lost) and its gain. */
export interface Setting {
  error: number;
  gain: number;
}

/**
 * Gain of a rule with a knob at the given error: the best gain of the settings that err no more, or the linear
 * interpolation to the next bolder setting if that is higher. Null if all settings err more.
 * The gain never falls as the error grows.
 */
export function gainAt(settings: readonly Setting[], error: number): number | null {
  const sorted = [...settings].sort((a, b) => a.error - b.error || a.gain - b.gain);
  const within = sorted.filter((setting) => setting.error <= error);
  const [below, above] = [within.at(-1), sorted[within.length]];
  if (!below) return null;
  const best = Math.max(...within.map(({ gain }) => gain));
  if (!above) return best;
  const way = (error - below.error) / (above.error - below.error);
  return Math.max(best, below.gain + way * (above.gain - below.gain));
}
