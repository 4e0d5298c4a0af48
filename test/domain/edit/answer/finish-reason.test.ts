import { expect, test } from 'vitest';
import { isBrokenOff, isCutOff, isFiltered } from '../../../../domain/edit/answer/finish-reason.ts';

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
  'length_limit',
  'model_context_window_exceeded',
  'context_length',
  'context_length_exceeded',
  'FinishReason.MAX_TOKENS',
  ' length ',
])('%j means an answer cut off at its limit', (reason) => {
  expect([isCutOff(reason), isFiltered(reason)]).toEqual([true, false]);
});

test.each(['abort', 'error', 'insufficient_system_resource', 'network_error', 'FinishReason.ERROR'])(
  '%j means an answer that the server broke off',
  (reason) => {
    expect([isCutOff(reason), isFiltered(reason), isBrokenOff(reason)]).toEqual([false, false, true]);
  },
);

test.each(['content_filter', 'CONTENT_FILTER', 'SAFETY', 'refusal', 'PROHIBITED_CONTENT'])(
  '%j means an answer that a filter blocked',
  (reason) => {
    expect([isCutOff(reason), isFiltered(reason)]).toEqual([false, true]);
  },
);

test.each(['stop', 'STOP', 'end_turn', 'eos', 'stop_sequence', 'tool_calls', '', null, 'full length'])(
  '%j means an answer that ended as usual',
  (reason) => {
    expect([isCutOff(reason), isFiltered(reason), isBrokenOff(reason)]).toEqual([false, false, false]);
  },
);
