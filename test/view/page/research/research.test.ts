import { describe, expect, test } from 'vitest';
import { phaseSpans } from '../../../../view/page/research/phase-spans.ts';
import { claim } from '../../../../domain/gate/gate.ts';
import { claimWithInterval } from '../../../../view/page/research/interval.ts';
import { GateDriver } from '../../../domain/gate/support.ts';

describe('the spans of phases', () => {
  const now = { phase: 'running', reason: null };
  const change = (at: string, from: string, phase: string, reason: string | null = null) => ({
    at,
    data: { from, phase, reason },
  });

  test('each change ends a span and begins another, the last one lasts', () => {
    const spans = phaseSpans(
      [
        change('2026-01-01T00:00:05Z', 'starting', 'running'),
        change('2026-01-01T00:01:00Z', 'running', 'paused', 'by a person'),
      ],
      { createdAt: '2026-01-01T00:00:00Z', now },
    );
    expect(spans).toEqual([
      { phase: 'starting', reason: null, from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:05Z' },
      { phase: 'running', reason: null, from: '2026-01-01T00:00:05Z', to: '2026-01-01T00:01:00Z' },
      { phase: 'paused', reason: 'by a person', from: '2026-01-01T00:01:00Z', to: null },
    ]);
  });

  test('repeated phases are one span; events of another version and spans without length are left out', () => {
    const spans = phaseSpans(
      [
        change('2026-01-01T00:00:00Z', 'starting', 'running'),
        change('2026-01-01T00:00:09Z', 'running', 'running'),
        { at: '2026-01-01T00:00:10Z', data: { state: 7 } },
        { at: '2026-01-01T00:00:11Z', data: null },
      ],
      { createdAt: '2026-01-01T00:00:00Z', now },
    );
    expect(spans).toEqual([{ phase: 'running', reason: null, from: '2026-01-01T00:00:00Z', to: null }]);
  });

  test('a research without changes is in its phase from the beginning', () => {
    expect(phaseSpans([], { createdAt: '2026-01-01T00:00:00Z', now })).toEqual([
      { phase: 'running', reason: null, from: '2026-01-01T00:00:00Z', to: null },
    ]);
  });
});

describe('the interval of a claim', () => {
  const { state: gate } = new GateDriver().calibrate();
  const made = { candidateId: 'old', value: 10, sd: 1, n: 3 };
  const asMade = (part: { sd?: number | null; n?: number }) =>
    claimWithInterval({ ...made, ...part }, { gate, isPresent: true });

  test('the present claim has the estimate of the gate, a replaced one is as it was made', () => {
    const present = claimWithInterval({ ...made, candidateId: 'base' }, { gate, isPresent: true });
    const { mean, low, high } = claim(gate);
    expect(present).toMatchObject({ value: mean, low, high, n: 10 });
    expect(claimWithInterval({ ...made, candidateId: 'base' }, { gate, isPresent: false })).toMatchObject({
      value: 10,
      n: 3,
    });
  });

  test('three own runs use two degrees of freedom, two own runs those of the shared noise', () => {
    const own = asMade({});
    expect(own.low).toBeCloseTo(10 - 4.302653 / Math.sqrt(3), 5);
    expect(own.high).toBeCloseTo(10 + 4.302653 / Math.sqrt(3), 5);
    expect(gate.noise.df).toBe(9);
    expect(asMade({ n: 2 }).high).toBeCloseTo(10 + 2.262157 / Math.sqrt(2), 5);
  });

  test('identical runs of a noisy metric count as one run with the shared sd', () => {
    const shared = Math.sqrt(gate.noise.ss / gate.noise.df);
    const tied = asMade({ sd: 0, n: 5 });
    expect(tied).toMatchObject({ value: 10, sd: shared, n: 5 });
    expect(tied.high).toBeCloseTo(10 + 2.262157 * shared, 5);
    expect(tied.low).toBeCloseTo(10 - 2.262157 * shared, 5);
  });

  test('unknown noise and runs that never vary give no interval', () => {
    expect(asMade({ sd: null, n: 5 })).toMatchObject({ low: null, high: null });
    const exact = new GateDriver().calibrate(Array.from({ length: 10 }, () => 1)).state;
    expect(claimWithInterval({ ...made, sd: 0 }, { gate: exact, isPresent: true })).toMatchObject({
      low: null,
      high: null,
    });
    const { state } = new GateDriver();
    expect(claimWithInterval({ ...made, n: 1 }, { gate: state, isPresent: true })).toMatchObject({
      low: null,
      high: null,
    });
  });
});
