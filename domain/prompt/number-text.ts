/** A number with six significant digits at most; NaN and infinities as words. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value);
}
