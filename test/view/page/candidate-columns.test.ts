import { expect, test } from 'vitest';
import { candidateNumberOf, candidateNumberText, candidateRangesOf } from '../../../view/page/candidate-columns.ts';

test('a range names a number and at least one bound', () => {
  expect(candidateRangesOf('value:1.2..1.5, metric.accuracy:..0.9,knob.config.yaml:rate:1e-3..')).toEqual([
    { number: { kind: 'value' }, from: 1.2, to: 1.5 },
    { number: { kind: 'metric', name: 'accuracy' }, from: null, to: 0.9 },
    { number: { kind: 'knob', name: 'config.yaml:rate' }, from: 0.001, to: null },
  ]);
  expect(candidateRangesOf(' ')).toEqual([]);
  for (const text of ['value', 'value:..', 'value:a..1', 'value:1..2..3', 'other:1..2', 'metric.:1..2', 'value:1..2,'])
    expect([text, candidateRangesOf(text)]).toEqual([text, null]);
});

test('a number is named in an address as it is read from one', () => {
  for (const text of ['value', 'metric.loss', 'knob.config.yaml:rate']) {
    const number = candidateNumberOf(text);
    expect(number && candidateNumberText(number)).toBe(text);
  }
  for (const text of ['', 'metric', 'metric.', 'knobs.x']) expect(candidateNumberOf(text)).toBeNull();
});
