import { expect, test } from 'vitest';
import { isCutOff, isFiltered } from '../../../../domain/edit/answer/cut-off.ts';

test.each([
  'length',
  'LENGTH',
  'max_tokens',
  'MAX_TOKENS',
  'max_output_tokens',
  'MaxTokens',
  'max-tokens',
  'model_length',
  'token limit',
  ' length ',
])('%j is the end of an answer at its limit', (reason) => {
  expect([isCutOff(reason), isFiltered(reason)]).toEqual([true, false]);
});

test.each(['content_filter', 'CONTENT_FILTER', 'SAFETY', 'refusal', 'PROHIBITED_CONTENT'])(
  '%j is a filter',
  (reason) => {
    expect([isCutOff(reason), isFiltered(reason)]).toEqual([false, true]);
  },
);

test.each(['stop', 'STOP', 'end_turn', 'eos', 'stop_sequence', 'tool_calls', '', null, 'full length'])(
  '%j is neither',
  (reason) => {
    expect([isCutOff(reason), isFiltered(reason)]).toEqual([false, false]);
  },
);
