import { expect, test } from 'vitest';
import { z } from 'zod';
import { narrowIssue } from '../../../domain/issue/narrow-issue.ts';
import { choiceSchema } from '../../../domain/method/axis.ts';

const TABLE = {
  plain: { settings: z.strictObject({}) },
  tuned: { settings: z.strictObject({ gamma: z.number().max(1).default(0.25) }) },
};
const schema = choiceSchema(TABLE);

/** Where each issue of a refused value is, and which values it names. */
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
])('%j is refused for the part of it that is wrong', (value, issues) => {
  expect(narrowed(value)).toEqual(issues);
});

test('a union of mappings without names stays as it is', () => {
  const value = { c: 1 };
  const [issue] = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).safeParse(value).error!.issues;
  expect(narrowIssue(issue!, value)).toEqual([issue]);
});
