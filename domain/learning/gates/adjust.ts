import type { UpdatePlan } from '../plan.ts';

/** Settings that a gate may multiply; each is a key of a step's `algorithm` or of its `optimizer`. */
export const ADJUSTABLE = ['lr', 'entropyCoefficient', 'klCoefficient', 'maxGradNorm', 'valueLr'] as const;

const isAdjustable = (key: string): boolean => ADJUSTABLE.some((setting) => setting === key);

/** Values that gates have set in place of the plan's own, by key. */
export type Adjustments = Readonly<Record<string, number>>;

/**
 * A plan's `algorithm` and `optimizer` with the gates' adjustments, without those of settings that this method lacks: a
 * person has changed the method. Throws for a key that no gate may multiply.
 */
export function adjusted(plan: UpdatePlan, adjustments: Adjustments): Pick<UpdatePlan, 'algorithm' | 'optimizer'> {
  const { algorithm, optimizer } = plan;
  const strange = Object.keys(adjustments).find(
    (key) => !isAdjustable(key) && !Object.hasOwn(algorithm, key) && !Object.hasOwn(optimizer, key),
  );
  if (strange !== undefined) throw new Error(`expected an adjustment of a setting of the step, got ${strange}`);
  const adjustmentsIn = (part: object) =>
    Object.fromEntries(Object.entries(adjustments).filter(([key]) => Object.hasOwn(part, key)));
  return {
    algorithm: { ...algorithm, ...adjustmentsIn(algorithm) },
    optimizer: { ...optimizer, ...adjustmentsIn(optimizer) },
  };
}

/** Values that the next step uses for the settings that a gate may multiply, by key. */
export function valuesOf(plan: UpdatePlan, adjustments: Adjustments): Record<string, number> {
  const { algorithm, optimizer } = adjusted(plan, adjustments);
  const all = Object.entries<unknown>({ ...algorithm, ...optimizer });
  return Object.fromEntries(
    all.flatMap(([key, value]) => (isAdjustable(key) && typeof value === 'number' ? [[key, value] as const] : [])),
  );
}
