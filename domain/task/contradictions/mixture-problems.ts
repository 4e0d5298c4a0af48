import { z } from 'zod';
import { type Problem, describeValue } from '../../issue/problem.ts';
import { choiceName, namedSettings, settingsIn } from '../../method/axis.ts';
import type { ProposerChoice } from '../../search/mixture/arm.ts';
import { type Maker, makerOf, MAKERS, membersOf } from '../../search/proposer/makers.ts';
import { AUTO, PROPOSERS } from '../../search/proposer/table.ts';
import { nearestKey } from '../../text/nearest-key.ts';
import type { Task } from '../task.ts';
import { explainIssues } from '../explain/explain-issues.ts';
import type { JsonSchema } from '../explain/json-schema.ts';

/** Problems of the proposers that a mixture names, each with its path in the mixture's settings. */
export function mixtureProblems({ search: { proposer } }: Task): Problem[] {
  const named = proposer === AUTO ? null : membersOf(proposer);
  if (named === null) return [];
  const mixture = choiceName(proposer) ?? '';
  if (named.length === 0)
    return [
      {
        path: AXIS,
        expected: `at least one proposer that ${mixture} may choose`,
        got: 'none',
        todo: `name ${MAKERS.join(' or ')}`,
      },
    ];
  const distinct = new Map(named.map((member) => [JSON.stringify(member), member]));
  return [...distinct.values()].flatMap((member) => {
    const path = pathOf(member, settingsIn(proposer), AXIS) ?? AXIS;
    return problemsOf(member, mixture).map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
  });
}

/** The proposers that a task may use, each with its path; empty for `auto`. The mixture must be valid. */
export function makersAt({ search: { proposer } }: Pick<Task, 'search'>): { maker: Maker; path: Problem['path'] }[] {
  if (proposer === AUTO) return [];
  const members = membersOf(proposer);
  if (members === null) return [{ maker: makerOf(proposer), path: AXIS }];
  return members.map((member) => ({
    maker: makerOf(member),
    path: pathOf(member, settingsIn(proposer), AXIS) ?? AXIS,
  }));
}

const AXIS: Problem['path'] = ['search', 'proposer'];

/** The path of the first value that equals a member; null if the settings do not contain it, as for a default. */
function pathOf(member: ProposerChoice, value: unknown, path: Problem['path']): Problem['path'] | null {
  if (JSON.stringify(value) === JSON.stringify(member)) return path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = pathOf(member, inner, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== null) return found;
  }
  return null;
}

/** Problems of one member, each with its path below the member. */
function problemsOf(member: ProposerChoice, mixture: string): Problem[] {
  const name = choiceName(member) ?? '';
  if (!MAKERS.includes(name)) {
    const nearest = nearestKey(name, MAKERS);
    const choosesItself = Object.hasOwn(PROPOSERS, name) ? ', which chooses among others itself' : '';
    return [
      {
        path: [],
        expected: `a proposer that ${mixture} may choose, one of ${MAKERS.join(', ')}`,
        got: `${describeValue(name)}${choosesItself}`,
        todo: nearest === null ? 'name one of them' : `did you mean ${nearest}?`,
      },
    ];
  }
  const schema = namedSettings(name, PROPOSERS[name as keyof typeof PROPOSERS]);
  const value = { ...settingsIn(member), name };
  const { error } = schema.safeParse(value);
  return error ? explainIssues(error, { schema: z.toJSONSchema(schema, { io: 'input' }) as JsonSchema, value }) : [];
}
