import { finiteOrNull } from '../../domain/json/number.ts';

/** A value's gain over the baseline, positive if better; null if either is unknown. */
export const gainOverBaseline = (
  baseline: number | null,
  { value, direction }: { value: number | null; direction: 'minimize' | 'maximize' },
): number | null => {
  if (value === null || baseline === null) return null;
  return finiteOrNull(direction === 'minimize' ? baseline - value : value - baseline);
};
