import { expect, test } from 'vitest';
import { readResult } from '../../../infra/evaluate/read-result.ts';

const problemOf = (text: string, conversing = false): string => {
  const result = readResult(text, { conversing });
  return result.ok ? 'none' : result.message;
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
  expect(readResult(text, { conversing: false })).toEqual({ ok: true, metrics: { loss }, notes: null, feedback: null });
});

test.each([
  'last was: NaN, before: -Infinity}',
  '[NaN, NaN]',
  'it said "loss": NaN, and stopped',
  'ends with a backslash, NaN] \\',
])('a value that is not finite is read beside the notes %j, which stay', (notes) => {
  const text = `{"notes": ${JSON.stringify(notes)}, "loss": NaN}`;
  expect(readResult(text, { conversing: false })).toEqual({
    ok: true,
    metrics: { loss: Number.NaN },
    notes,
    feedback: null,
  });
});

test.each([
  ['{"loss": "0.5"}', '"0.5"'],
  ['{"loss": "none"}', '"none"'],
  ['{"loss": true}', 'true'],
  ['{"loss": [NaN]}', 'a list or an object'],
])('%j has no number', (text, got) => expect(problemOf(text)).toMatch(`on descriptor 3; loss is ${got}`));

test.each(['garbage', '{"error": nan}', '[NaN]'])('%s is not one JSON object', (text) => {
  expect(problemOf(text)).toBe(
    `expected one JSON object of name → number (or "nan", "inf", "-inf") on descriptor 3; got ${text}`,
  );
});

test('notes may be a list of cases, each with a name, a number and a text', () => {
  const notes = '[{"name": "a", "value": 0.5, "text": "slow"}, {"name": "b", "value": NaN, "heldOut": true}]';
  expect(readResult(`{"loss": 1, "notes": ${notes}}`, { conversing: false })).toEqual({
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
  expect(readResult('{"loss": 1, "notes": []}', { conversing: false })).toMatchObject({ notes: null, feedback: null });
});

test.each([
  ['{"name": "a"}', 'the value of the case at position 0 is "missing"'],
  ['{"name": "a", "value": "0.5"}', 'the value of the case at position 0 is "0.5"'],
  ['{"value": 1}', 'name: expected a text, got nothing in the case at position 0'],
  ['{"name": "a", "value": 1, "heldout": true}', 'in the case at position 0'],
  [
    '{"name": "a", "value": 1, "heldOut": "yes"}',
    'heldOut: expected true or false, got the text "yes" in the case at position 0',
  ],
])('the case %s is refused: a mistake must not show held-out data', (one, message) => {
  const problem = problemOf(`{"loss": 1, "notes": [${one}]}`);
  expect(problem).toMatch(/^notes: expected a text or a list of \{"name": text, /);
  expect(problem).toContain(message);
});

test.each(['5', '{"name": "a", "value": 1}', 'true'])('notes that are %s are refused', (notes) => {
  expect(problemOf(`{"loss": 1, "notes": ${notes}}`)).toMatch(/^notes: expected a text or a list of /);
});
