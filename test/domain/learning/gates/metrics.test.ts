import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { METRICS } from '../../../../domain/learning/gates/gate.ts';
import { numbersOf } from '../../../../domain/learning/batch.ts';
import { UPDATES } from '../../../../domain/search/update/table.ts';
import { planOf } from '../../search/update/plans.ts';
import { rollout } from '../rollouts.ts';

/** Names of the metrics in the trainer's report. */
function trainers(): string[] {
  const source = readFileSync('trainer/perpetua_trainer/objective/report.py', 'utf8');
  return [...source.matchAll(/^ +(?:"(\w+)": |found\["(\w+)"\] = )/gm)].map(([, key, other]) => key ?? other ?? '');
}

it("are the trainer's and the batch's own", () => {
  const own = Object.keys(numbersOf([rollout()]));
  expect(trainers().length).toBeGreaterThan(20);
  expect([...METRICS].sort()).toEqual([...new Set([...trainers(), ...own])].sort());
});

it.each(Object.keys(UPDATES).filter((name) => name !== 'none'))('are all that the gates of %s read', (name) => {
  expect(METRICS).toEqual(expect.arrayContaining(planOf(name).gates.map(({ metric }) => metric)));
});
