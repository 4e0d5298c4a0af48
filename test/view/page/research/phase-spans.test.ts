import { expect, test } from 'vitest';
import { phaseSpans } from '../../../../view/page/research/phase-spans.ts';

const now = { phase: 'running', reason: null };
const told = (at: string, from: string, phase: string, reason: string | null = null) => ({
  at,
  data: { from, phase, reason },
});

test('each change ends a span and begins another, the last one lasts', () => {
  const spans = phaseSpans(
    [
      told('2026-01-01T00:00:05Z', 'starting', 'running'),
      told('2026-01-01T00:01:00Z', 'running', 'paused', 'by a person'),
    ],
    { createdAt: '2026-01-01T00:00:00Z', now },
  );
  expect(spans).toEqual([
    { phase: 'starting', reason: null, from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:05Z' },
    { phase: 'running', reason: null, from: '2026-01-01T00:00:05Z', to: '2026-01-01T00:01:00Z' },
    { phase: 'paused', reason: 'by a person', from: '2026-01-01T00:01:00Z', to: null },
  ]);
});

test('what is told twice is one span, what another version told is left out, what lasted no time too', () => {
  const spans = phaseSpans(
    [
      told('2026-01-01T00:00:00Z', 'starting', 'running'),
      told('2026-01-01T00:00:09Z', 'running', 'running'),
      { at: '2026-01-01T00:00:10Z', data: { state: 7 } },
      { at: '2026-01-01T00:00:11Z', data: null },
    ],
    { createdAt: '2026-01-01T00:00:00Z', now },
  );
  expect(spans).toEqual([{ phase: 'running', reason: null, from: '2026-01-01T00:00:00Z', to: null }]);
});

test('a research of which no change was told is in its phase from the beginning', () => {
  expect(phaseSpans([], { createdAt: '2026-01-01T00:00:00Z', now })).toEqual([
    { phase: 'running', reason: null, from: '2026-01-01T00:00:00Z', to: null },
  ]);
});
