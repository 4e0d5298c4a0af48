import { z } from 'zod';
import { readCandidateColumns } from '../../../../db/reads/page/candidates/read-candidate-columns.ts';
import { readPareto } from '../../../../db/reads/page/candidates/read-pareto.ts';
import { readResearch, type ResearchView } from '../../../../db/reads/read-research.ts';
import { candidateNumberNames } from '../../../../view/page/candidate-columns.ts';
import { ParetoQuery, type Axis, type Pareto } from '../../../api/trials/pareto.ts';
import { route } from '../../route.ts';
import { knownNumber } from '../known-number.ts';

/** Candidates by two numbers, with the front of those that no other one dominates. */
export const pareto = route({
  path: 'research/:id/pareto',
  input: z.strictObject({ id: z.string(), ...ParetoQuery.shape }),
  read: async ({ db }, { id, xBetter, yBetter, range: ranges, ...chosen }): Promise<Pareto | undefined> => {
    const research = await readResearch(db, { researchId: id });
    if (!research) return undefined;
    const offered = await readCandidateColumns(db, research);
    const names = candidateNumberNames(offered);
    const { task } = research;
    const x = axisOf(task, chosen.x ?? 'value', xBetter);
    const y = axisOf(task, chosen.y ?? secondOf(names, task), yBetter);
    const points = await readPareto(db, research, {
      x: { number: knownNumber({ key: 'x', name: x.name, offered }), better: x.better },
      y: { number: knownNumber({ key: 'y', name: y.name, offered }), better: y.better },
      ranges,
    });
    return { names, x, y, ...points };
  },
});

type Task = ResearchView['task'];

/** The first secondary metric, which is the first metric that is offered; else another number. */
const secondOf = (names: readonly string[], { metric }: Task): string =>
  names.find((name) => name.startsWith('metric.') && name !== `metric.${metric.name}`) ??
  names.find((name) => name.startsWith('knob.')) ??
  'seconds';

/** An axis with its direction: that of the task, else the requested one. */
function axisOf({ metric, secondary }: Task, name: string, requested: Axis['better'] | undefined): Axis {
  const isObjective = name === 'value' || name === `metric.${metric.name}`;
  const declared = secondary.find((one) => `metric.${one.name}` === name)?.direction;
  const known = isObjective ? metric.direction : declared;
  return { name, better: known ?? requested ?? 'minimize', fromTask: known !== undefined };
}
