import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { knobAxis } from '../../../domain/explanation/knob-axis.ts';
import { markTop, pedAnova, type AxisCells } from '../../../domain/explanation/ped-anova.ts';
import { Knob } from '../../../domain/knob/knob.ts';

const Value = z.union([z.number(), z.string()]);
const Fixture = z.object({
  optuna: z.literal('5.0.0'),
  knobs: z.array(Knob),
  studies: z.array(
    z.object({
      name: z.string(),
      direction: z.enum(['minimize', 'maximize']),
      top: z.number(),
      observations: z.array(z.object({ knobs: z.record(z.string(), Value), value: z.number() })),
      importances: z.record(z.string(), z.number()),
    }),
  ),
});
/** Importances by Optuna, which `optuna/make.py` wrote. */
const { knobs, studies } = Fixture.parse(
  JSON.parse(readFileSync(new URL('optuna/ped-anova.json', import.meta.url), 'utf8')),
);
const axes = knobs.map(knobAxis);

describe('PED-ANOVA', () => {
  it.each(studies)("agrees with Optuna's on the study $name", ({ direction, top: size, observations, importances }) => {
    const cost = Float64Array.from(observations, ({ value }) => (direction === 'minimize' ? value : -value));
    const sample = observations.map((_, index) => index);
    const cells: AxisCells[] = axes.map((axis) => ({
      ...axis,
      at: Int16Array.from(observations, ({ knobs: values }) => axis.cellOf(values) ?? -1),
    }));
    const found = pedAnova(cells, { sample, isTop: markTop(sample, { cost, size }) });
    expect(found).toHaveLength(6);
    axes.forEach(({ key }, index) => {
      const expected = importances[key] ?? Number.NaN;
      expect(Math.abs((found[index] ?? 0) / expected - 1), key).toBeLessThan(1e-5);
    });
  });

  it('gives 0 where all candidates are as good as each other', () => {
    const at = Int16Array.from([0, 1, 2, 1]);
    const sample = [0, 1, 2, 3];
    const isTop = markTop(sample, { cost: new Float64Array(4), size: 1 });
    expect(isTop).toEqual([true, true, true, true]);
    expect(pedAnova([{ cells: 3, isOrdered: true, at }], { sample, isTop })).toEqual([0]);
  });
});
