import { describeValue, type Problem } from '../../../issue/problem.ts';
import { knobsNamed } from '../../../knob/knobs-named.ts';
import { listNames } from '../../../text/list-names.ts';
import type { NamedByRule } from '../../parent.ts';
import { type Descriptor, descriptorsOf } from './descriptors.ts';

/** Most cells, so that a choice can read the best candidate of each. */
const MOST_CELLS = 1000;

/** Contradictions between descriptors and the task. */
export function checkDescriptors(descriptors: readonly Descriptor[] | undefined, task: NamedByRule): Problem[] {
  if (descriptors === undefined)
    return task.knobs.length > 0
      ? []
      : [
          {
            path: ['by'],
            expected: 'descriptors, since the task has no knobs to take them from',
            got: 'nothing',
            todo: 'add by: [{ metric, edges }] with a secondary metric of the task',
          },
        ];
  const problems = descriptors.flatMap((descriptor, index) =>
    problemsOf(descriptor, task).map((problem) => ({ ...problem, path: ['by', index, ...problem.path] })),
  );
  const cells = descriptorsOf(descriptors, task.knobs).reduce(
    (product, { edges, values }) => product * Math.max(edges.length + 1, values.length),
    1,
  );
  if (cells > MOST_CELLS)
    problems.push({
      path: ['by'],
      expected: `at most ${MOST_CELLS} cells, since a choice reads the best candidate of each`,
      got: `${cells} cells`,
      todo: 'give fewer edges or fewer descriptors',
    });
  return problems;
}

function problemsOf({ metric, knob, edges }: Descriptor, { knobs, secondary }: NamedByRule): Problem[] {
  const noEdges: Problem = {
    path: ['edges'],
    expected: 'edges, the borders of the bins',
    got: 'nothing',
    todo: 'add edges: [number, …], in increasing order',
  };
  if (metric !== undefined) {
    const names = secondary.map(({ name }) => name);
    if (!names.includes(metric)) return [unknown('metric', metric, { what: 'a secondary metric', names })];
    return edges === undefined ? [noEdges] : [];
  }
  const [found, ...others] = knobsNamed(knob ?? '', knobs);
  if (found === undefined)
    return [unknown('knob', knob ?? '', { what: 'a knob', names: knobs.map(({ name }) => name) })];
  if (others.length > 0)
    return [
      {
        path: ['knob'],
        expected: 'a name that one knob has',
        got: `${describeValue(knob)}, which ${others.length + 1} knobs have`,
        todo: `write ${found.file}:${found.name}`,
      },
    ];
  if (found.type !== 'choice') return edges === undefined ? [noEdges] : [];
  if (edges === undefined) return [];
  return [
    {
      path: ['edges'],
      expected: `no edges, since ${found.name} is a choice, of which each value is a bin`,
      got: describeValue(edges),
      todo: 'remove edges',
    },
  ];
}

const unknown = (
  key: 'metric' | 'knob',
  name: string,
  { what, names }: { what: string; names: readonly string[] },
): Problem => ({
  path: [key],
  expected: names.length > 0 ? `${what} of the task: ${listNames(names)}` : `${what} of the task, which has none`,
  got: describeValue(name),
  todo: key === 'metric' ? 'list it under secondary, or name another one' : 'list it under knobs, or name another one',
});
