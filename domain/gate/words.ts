/** A number for people: four significant digits, never "NaN". */
export function show(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e6 || size < 1e-4) ? value.toExponential(3) : String(Number(value.toPrecision(4)));
}

/** A gain with its sign. */
export function signed(value: number): string {
  return value > 0 ? `+${show(value)}` : show(value);
}
