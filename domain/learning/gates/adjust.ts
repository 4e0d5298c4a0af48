import type { UpdatePlan } from '../plan.ts';

/** Settings that a gate may multiply; each is a key of a step's `algorithm` or of its `optimizer`. */
export const ADJUSTABLE = ['lr', 'entropyCoefficient', 'klCoefficient', 'maxGradNorm'] as const;

/** Values that gates have put in place of those of the settings, by key. */
export type Adjustments = Readonly<Record<string, number>>;

/** A plan's numbers with what gates have changed since. Throws for a key that no step has. */
export function adjusted(plan: UpdatePlan, adjustments: Adjustments): Pick<UpdatePlan, 'algorithm' | 'optimizer'> {
  const { algorithm, optimizer } = plan;
  const strange = Object.keys(adjustments).find(
    (key) => !Object.hasOwn(algorithm, key) && !Object.hasOwn(optimizer, key),
  );
  if (strange !== undefined) throw new Error(`expected an adjustment of a setting of the step, came ${strange}`);
  const of = (part: object) =>
    Object.fromEntries(Object.entries(adjustments).filter(([key]) => Object.hasOwn(part, key)));
  return { algorithm: { ...algorithm, ...of(algorithm) }, optimizer: { ...optimizer, ...of(optimizer) } };
}

/** The numbers that the next step goes by, of those that a gate may multiply. */
export function valuesOf(plan: UpdatePlan, adjustments: Adjustments): Record<string, number> {
  const { algorithm, optimizer } = adjusted(plan, adjustments);
  const all = Object.entries<unknown>({ ...algorithm, ...optimizer });
  const isOne = (key: string): boolean => ADJUSTABLE.some((one) => one === key);
  return Object.fromEntries(
    all.flatMap(([key, value]) => (isOne(key) && typeof value === 'number' ? [[key, value] as const] : [])),
  );
}
