import { describe, expect, it } from 'vitest';
import { afterPoint, brokenRule, type HardRuleState, NO_POINTS } from '../../../domain/metric/hard-rules.ts';
import { createPointReader, isRepeatedPoint } from '../../../domain/metric/read-points.ts';
import { Progress } from '../../../domain/schema/metric.ts';

const settings = { pattern: '^step (?<step>\\S+) loss (?<value>\\S+)$', divergeFactor: 3, stallSeconds: 20 };
const progress = Progress.parse(settings);
const lenient = Progress.parse({ pattern: settings.pattern });
const after = (values: number[], rules = progress): HardRuleState =>
  values.reduce((state, value, step) => afterPoint(state, { step, value }, rules), NO_POINTS);
const broken = (values: number[]): string | null => brokenRule(after(values), 0, progress)?.label ?? null;

describe('createPointReader', () => {
  const lines = [
    'step 1 loss 2.5',
    'hello',
    'step 2 loss nan',
    'step 3 loss inf',
    'step x loss 1',
    'step 4 loss 1,5',
    'step 5 loss -1e308',
  ];
  it('reads points by pattern, keeps values that are not finite, and reads huge values as infinite', () => {
    const reader = createPointReader(progress);
    const points = [
      { step: 1, value: 2.5 },
      null,
      { step: 2, value: NaN },
      { step: 3, value: Infinity },
      null,
      null,
      { step: 5, value: -Infinity },
    ];
    expect(lines.map((line) => reader.push(line))).toEqual(points);
  });

  it('reads lines as a terminal shows them', () => {
    const reader = createPointReader(progress);
    for (const line of [
      '\x1b[32mstep 1 loss 2.5\x1b[0m',
      '\x1b[K\x1b[1mstep\x1b[22m 1 loss 2.\x1b[31m5\x1b[m\x1b[K',
      '\x1b]0;step 9 loss 9\x07step 1 loss 2.5\x07',
    ])
      expect(reader.push(line)).toEqual({ step: 1, value: 2.5 });
    const json = createPointReader(Progress.parse({ format: 'json' }));
    expect(json.push('\x1b[33m{"step": 1, "loss": \x1b[1m2.5\x1b[0m}\x1b[0m')).toEqual({ step: 1, value: 2.5 });
    expect(reader.push(`${'x'.repeat(16_384)}step 1 loss 2.5`)).toBeNull();
  });

  it('reads JSON lines by their keys', () => {
    const reader = createPointReader(Progress.parse({ format: 'json', step: 'iter', value: 'bpc' }));
    expect(reader.push('{"iter": 3, "bpc": 1.5}')).toEqual({ step: 3, value: 1.5 });
    expect(reader.push('{"iter": 4, "bpc": NaN}')).toEqual({ step: 4, value: NaN });
    expect(reader.push('{"iter": 4, "bpc": "inf"}')).toEqual({ step: 4, value: Infinity });
    for (const line of ['{"iter": 3}', '{"iter": NaN, "bpc": 1}', '[]', '{', '', '{"iter": true, "bpc": 1}'])
      expect(reader.push(line)).toBeNull();
  });
});

it('a point repeats the one before it only if all of its values are the same', () => {
  const point = { step: 1, value: 2, share: 0.5 };
  expect(isRepeatedPoint({ ...point }, point)).toBe(true);
  for (const other of [undefined, { ...point, step: 2 }, { ...point, value: 3 }, { step: 1, value: 2 }])
    expect(isRepeatedPoint(other, point)).toBe(false);
});

describe('the hard rules', () => {
  it('end a run at the first value that is not finite', () => {
    expect(broken([1, NaN])).toBe('not-finite');
    expect(broken([Infinity])).toBe('not-finite');
    expect(after([1, -Infinity, 1]).broken?.message).toBe('loss is -Infinity at step 1');
  });

  it('end a run after three consecutive points above the limit; points equal to the limit do not end it', () => {
    expect(broken([1, 4, 4, 4])).toBe('diverged');
    expect(broken([1, 4, 4])).toBeNull();
    expect(broken([1, 4, 4, 2, 4, 4])).toBeNull();
    expect(broken([1, 3, 3, 3])).toBeNull();
    expect(after([1, 4, 5, 6]).broken?.message).toBe(
      'loss stayed above 3 for 3 points (now 6 at step 3); it began at 1 and may grow 3-fold',
    );
  });

  it('work for losses that begin at or below zero', () => {
    expect(broken([-2, -1, 1, 1.5])).toBeNull();
    expect(broken([-2, 3, 3, 3])).toBe('diverged');
    expect(broken([0, 9, 9, 9])).toBeNull();
  });

  it('break nothing if the task sets no limit', () => {
    const state = after([1, 1e9, 1e9, 1e9], lenient);
    expect(brokenRule(state, 1e6, lenient)).toBeNull();
  });

  it('end a run that is silent for too long, and only then', () => {
    const state = after([1]);
    expect(brokenRule(state, 19.9, progress)).toBeNull();
    expect(brokenRule(state, 20, progress)).toEqual({
      label: 'stalled',
      message: 'the run printed no line of any kind for 20 s (progress.stallSeconds: 20)',
    });
  });

  it('have a state that survives JSON and keeps the first rule that broke', () => {
    for (const values of [[], [1, 4], [1, NaN, 5], [1, 4, 4, 4, NaN]]) {
      const state = after(values);
      expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    }
    expect(broken([1, 4, 4, 4, NaN])).toBe('diverged');
  });
});
