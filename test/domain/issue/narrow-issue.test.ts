import { expect, test } from 'vitest';
import { z } from 'zod';
import { narrowIssue } from '../../../domain/issue/narrow-issue.ts';
import { choiceSchema } from '../../../domain/method/axis.ts';

const TABLE = {
  plain: { settings: z.strictObject({}) },
  tuned: { settings: z.strictObject({ gamma: z.number().max(1).default(0.25) }) },
};
const schema = choiceSchema(TABLE);

/** The path of each issue of a refused value, and the values that the issue names, or its code. */
function narrowed(value: unknown) {
  const issues = schema.safeParse(value).error?.issues ?? [];
  return issues
    .flatMap((issue) => narrowIssue(issue, value))
    .map((issue) => [issue.path.join('.'), issue.code === 'invalid_value' ? issue.values : issue.code]);
}

test.each<[unknown, unknown[]]>([
  [{ name: 'other' }, [['name', ['plain', 'tuned']]]],
  [{ gamma: 0.5 }, [['name', ['plain', 'tuned']]]],
  [{ name: 'tuned', gamma: 2 }, [['gamma', 'too_big']]],
  [
    { name: 'tuned', gamma: 2, delta: 1 },
    [
      ['gamma', 'too_big'],
      ['', 'unrecognized_keys'],
    ],
  ],
  ['other', [['', 'invalid_union']]],
  [null, [['', 'invalid_union']]],
])('the issues of %j name only the wrong part', (value, issues) => {
  expect(narrowed(value)).toEqual(issues);
});

test('the issue of a union of mappings without names stays unchanged', () => {
  const value = { c: 1 };
  const [issue] = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).safeParse(value).error!.issues;
  expect(narrowIssue(issue!, value)).toEqual([issue]);
});

test('the issue of a name or a mapping is that of the mapping, also within another choice', () => {
  const agent = z.union([
    z.enum(['codex', 'pi']),
    z.strictObject({ command: z.string(), env: z.object({}).optional() }),
  ]);
  const proposer = choiceSchema({ ...TABLE, command: { settings: z.strictObject({ agent }) } });
  const value = { name: 'command', agent: { comand: 'x' } };
  const issues = proposer.safeParse(value).error!.issues.flatMap((issue) => narrowIssue(issue, value));
  expect(issues.map(({ path, code }) => [path.join('.'), code])).toEqual([
    ['agent.command', 'invalid_type'],
    ['agent', 'unrecognized_keys'],
  ]);
});
