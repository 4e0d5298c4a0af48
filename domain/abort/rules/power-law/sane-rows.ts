/** Shares of the errors between which their spread is taken. */
const LOW = 0.1;
const HIGH = 0.9;
/** Spreads beyond these at which an error is of a run in another unit, or of a fit that failed: 27 σ of normal ones. */
const SPREADS = 10;

/**
 * The completed runs none of whose forecast errors is absurd next to those of the others at that look: one such run would be all
 * that a variance sees. A look at which half of the runs have no forecast, or all miss alike, rules nobody out.
 */
export function saneRows(rows: readonly (readonly (number | null)[])[]): readonly (readonly (number | null)[])[] {
  const width = rows[0]?.length ?? 0;
  const fences = Array.from({ length: width }, (_, k) => {
    const errors = Float64Array.from(rows.flatMap((row) => row[k] ?? [])).sort();
    const at = (share: number): number => errors[Math.floor(share * (errors.length - 1))] ?? Number.NaN;
    const [low, high] = [at(LOW), at(HIGH)];
    const reach = SPREADS * (high - low);
    return 2 * errors.length > rows.length && reach > 0
      ? { from: low - reach, to: high + reach }
      : { from: -Infinity, to: Infinity };
  });
  const isSane = (error: number | null, k: number): boolean => {
    const fence = fences[k];
    return error === null || !fence || (error >= fence.from && error <= fence.to);
  };
  const sane = rows.filter((row) => row.every(isSane));
  return sane.length === rows.length ? rows : sane;
}
