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
  ['{"error": NaN}', '{"error": "nan"}'],
  ['{"loss": 1, "gain": -Infinity}', '{"gain": "-inf"}'],
  ['{"loss": [NaN]}', '{"loss": "nan"}'],
])('%s is no JSON, and is corrected to %s', (text, corrected) => {
  expect(problemOf(text)).toBe(
    `NaN and Infinity are not JSON; got ${text}. Write such a value as a text: ${corrected}`,
  );
});

test.each(['garbage', '{"error": nan}', '[NaN]'])('%s is not one JSON object', (text) => {
  expect(problemOf(text)).toBe(
    `expected one JSON object of name → number (or "nan", "inf", "-inf") on descriptor 3; got ${text}`,
  );
});
