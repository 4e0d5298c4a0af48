import { expect, test } from 'vitest';
import { readResult } from '../../../infra/evaluate/read-result.ts';

const read = (text: string, { conversing = false, isCut = false } = {}) => readResult({ text, isCut }, { conversing });
const problemOf = (text: string, conversing = false): string => {
  const result = read(text, { conversing });
  return result.ok ? 'none' : result.message;
};
/** The quotation for people, of a result whose message for prompts must not have it. */
const quotationOf = (text: string): string | null => {
  const result = read(text);
  return result.ok ? 'none' : result.quotation;
};

test('the problem of an empty result names the descriptor and a command', () => {
  expect(problemOf(' \n')).toBe(
    'the evaluator wrote nothing to descriptor 3 (PERPETUA_RESULT_FD). Its stdout is not read. ' +
      'In Python: os.write(3, json.dumps(result).encode())',
  );
  expect(problemOf('', true)).toContain('Its stdout goes to the candidate. In Python');
});

test.each([
  ['{"loss": "nan"}', Number.NaN],
  ['{"loss": "NaN"}', Number.NaN],
  ['{"loss": NaN}', Number.NaN],
  ['{"loss": null}', Number.NaN],
  ['{"loss": "inf"}', Number.POSITIVE_INFINITY],
  ['{"loss": Infinity, "notes": null}', Number.POSITIVE_INFINITY],
  ['{"loss": "-Infinity"}', Number.NEGATIVE_INFINITY],
  ['{\n  "loss": -Infinity\n}', Number.NEGATIVE_INFINITY],
  ['{"loss": 1e999}', Number.POSITIVE_INFINITY],
])('%j is a value that is not finite', (text, loss) => {
  expect(read(text)).toEqual({ ok: true, metrics: { loss }, notes: null, feedback: null });
});

test.each([
  'last was: NaN, before: -Infinity}',
  '[NaN, NaN]',
  'it said "loss": NaN, and stopped',
  'ends with a backslash, NaN] \\',
])('a value that is not finite is read beside the notes %j, which stay', (notes) => {
  const text = `{"notes": ${JSON.stringify(notes)}, "loss": NaN}`;
  expect(read(text)).toEqual({
    ok: true,
    metrics: { loss: Number.NaN },
    notes,
    feedback: null,
  });
});

test.each([
  ['{"loss": "0.5"}', 'a text', '"0.5"'],
  ['{"loss": "none"}', 'a text', '"none"'],
  ['{"loss": true}', 'true or false', 'true'],
  ['{"loss": [NaN]}', 'a list or an object', 'a list or an object'],
])('%j has no number', (text, type, got) => {
  expect(problemOf(text)).toMatch(new RegExp(`on descriptor 3; loss is ${type}$`));
  expect(quotationOf(text)).toBe(`loss is ${got}`);
});

test.each(['garbage', '{"error": nan}', '[NaN]'])('%s is not one JSON object', (text) => {
  expect(problemOf(text)).toBe(
    'expected one JSON object of name → number (or "nan", "inf", "-inf") on descriptor 3; got another text',
  );
  expect(quotationOf(text)).toBe(`the result begins with ${text}`);
});

test('a result that was cut is refused by its length, and only people read its beginning', () => {
  const text = '{"notes": [{"name": "q7", "value": 0, "text": "HELD OUT", "heldOut": true}';
  const problem = read(text, { isCut: true });
  if (problem.ok) return expect.unreachable();
  expect(problem.message).toMatch(/the evaluator wrote more than 1 MiB$/);
  expect(problem.message).not.toContain('HELD OUT');
  expect(problem.quotation).toContain('HELD OUT');
});

test('notes may be a list of cases, each with a name, a number and a text', () => {
  const notes = '[{"name": "a", "value": 0.5, "text": "slow"}, {"name": "b", "value": NaN, "heldOut": true}]';
  expect(read(`{"loss": 1, "notes": ${notes}}`)).toEqual({
    ok: true,
    metrics: { loss: 1 },
    notes: null,
    feedback: {
      cases: [
        { name: 'a', value: 0.5, text: 'slow' },
        { name: 'b', value: 'nan', text: '', heldOut: true },
      ],
      omitted: 0,
    },
  });
  expect(read('{"loss": 1, "notes": []}')).toMatchObject({ notes: null, feedback: null });
});

test.each([
  ['{"name": "a"}', 'value is missing', 'value is missing'],
  ['{"name": "a", "value": "HELD OUT"}', 'value is a text', 'value is "HELD OUT"'],
  ['{"name": "a", "value": ["HELD OUT"]}', 'value is a list or an object', 'a list or an object'],
  ['{"value": 1, "text": "HELD OUT"}', 'name is missing', 'name: expected a text, got nothing'],
  ['{"name": "a", "value": 1, "HELD OUT": true}', 'got an unknown key', 'HELD OUT'],
  ['{"name": "a", "value": 1, "heldOut": "HELD OUT"}', 'heldOut is a text', 'got the text "HELD OUT"'],
  ['{"name": "", "value": 1, "text": "HELD OUT"}', 'name is an empty text', 'name: expected a text'],
  ['"HELD OUT"', 'got a text', 'got the text "HELD OUT"'],
])('the case %s is refused without a value of it, which only people read', (one, problem, quotation) => {
  const text = `{"loss": 1, "notes": [{"name": "b", "value": 1}, ${one}]}`;
  const message = problemOf(text);
  expect(message).toMatch(/^notes: expected a text or a list of \{"name": text, /);
  expect(message).toMatch(new RegExp(`; ${problem} in the case at position 1$`));
  expect(quotationOf(text)).toContain(quotation);
});

test.each(['5', '{"name": "a", "value": 1}', 'true'])('notes that are %s are refused', (notes) => {
  expect(problemOf(`{"loss": 1, "notes": ${notes}}`)).toMatch(/^notes: expected a text or a list of /);
});
