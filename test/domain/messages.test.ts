import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  describeIssue,
  InjectArgs,
  NoArgs,
  NoteArgs,
  OverrideVerdictArgs,
  ResearchArgs,
  SetBudgetArgs,
  SetWindowArgs,
  tooLarge,
} from '../../domain/messages.ts';
import { choiceSchema } from '../../domain/method/axis.ts';
import { PARENTS } from '../../domain/search/parent/table.ts';

const Parent = choiceSchema(PARENTS);
const PARENT_NAMES = Object.keys(PARENTS).map((name) => JSON.stringify(name));

test.each<[z.ZodType, unknown, string]>([
  [SetWindowArgs, { window: '8' }, 'window: expected "auto" or a number, got the text "8"'],
  [SetWindowArgs, { window: 0 }, 'window: expected a number of at least 1, got the number 0'],
  [SetWindowArgs, {}, 'window: expected "auto" or a number, got nothing'],
  [
    SetBudgetArgs,
    { trails: 5 },
    'trails: the key is not known; expected one of trials, proposals, hours, hoursWithoutClaim, slotSeconds, ' +
      'tokens, usd, counts, whenSpent; did you mean trials?',
  ],
  [SetBudgetArgs, { trials: 0 }, 'trials: expected a number above 0, got the number 0'],
  [SetBudgetArgs, { trials: 1.5 }, 'trials: expected a whole number, got the number 1.5'],
  [SetBudgetArgs, { whenSpent: 'halt' }, 'whenSpent: expected "stop" or "wait", got the text "halt"'],
  [OverrideVerdictArgs, { n: 1, verdict: 'keep' }, 'reason: expected a text, got nothing'],
  [NoArgs, { bogus: 1 }, 'expected no input, or {}, got a mapping'],
  [NoArgs, [], 'expected no input, or {}, got an empty list'],
  [NoteArgs, { text: '' }, 'text: expected a text of at least 1 characters, got an empty text'],
  [InjectArgs, { files: {} }, 'files: expected at least one file, got a mapping'],
  [Parent, { name: 'bst' }, `name: expected ${PARENT_NAMES.join(' or ')}, got the text "bst"`],
  [ResearchArgs, 'parabola', 'expected an object such as {"key": …}, got the text "parabola"'],
  [
    ResearchArgs,
    { task: 't', budget: { second: 5 } },
    'budget.second: the key is not known; expected one of trials, proposals, hours, hoursWithoutClaim, slotSeconds, ' +
      'tokens, usd, counts, whenSpent',
  ],
])('%#: a message that is not understood is answered with what was expected and what came', (schema, raw, words) => {
  const { error } = schema.safeParse(raw);
  expect(describeIssue(error!, raw)).toBe(words);
});

test('a pause takes no input, and an empty mapping', () => {
  expect(NoArgs.safeParse(undefined).success).toBe(true);
  expect(NoArgs.safeParse({}).success).toBe(true);
});

describe('the size of a message', () => {
  const files = (bytes: number) => ({ files: { f: 'ä'.repeat(bytes / 2) } });

  test.each([
    [{ task: 'x'.repeat(4096) }, null],
    [{ task: 'x'.repeat(4097) }, 'task: expected a name or a folder of at most 4096 characters, got 4097'],
    [files(2 ** 20), null],
    [
      files(2 ** 20 + 2),
      'files: expected at most 1048576 bytes of mutable files in all, got 1048578; the largest is "f" with 1048578',
    ],
    [{ files: { f: '\0'.repeat(2 ** 19) } }, 'expected at most 2093056 bytes in all, got 3145746'],
  ])('a message is as large as an activity may take it, in bytes (%#)', (args, why) => {
    expect(tooLarge(args)).toBe(why);
  });
});
