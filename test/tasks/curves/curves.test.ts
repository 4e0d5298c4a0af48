import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { readCurves, STOPPED } from '../../../tasks/curves/read-curves.ts';

const val = Array.from({ length: 11 }, (_, i) => [i * 10, 2 - i / 10]);
const line = (more: object = {}): string =>
  JSON.stringify({ track: 't', group: 'g', run: 'r', steps: 100, val, train: [], ...more });

describe('a file of curves', () => {
  it('gives the monitored curve and the final value of val', () => {
    const train = Array.from({ length: 21 }, (_, i) => [i * 5, 9 - i / 10]);
    const { curves, skipped } = readCurves(`${line()}\n\n${line({ train })}\n`);
    expect(skipped).toEqual([]);
    expect(curves[0]).toMatchObject({ group: 't/g', final: 1, budget: { kind: 'steps', total: 100 } });
    expect(curves[0]?.points).toHaveLength(11);
    expect(curves[1]).toMatchObject({ final: 1 });
    expect(curves[1]?.points[0]).toEqual({ step: 0, elapsed: 0, value: 9 });
  });

  it.each([
    ['nonsense', 'line 2: expected one JSON object'],
    [line({ steps: 0 }), 'line 2: expected steps to be a number above 0, got 0'],
    [line({ group: 3 }), 'line 2: expected group to be a text, got 3'],
    [line({ train: undefined }), 'line 2: expected train to be a list, got nothing'],
    [line({ val: [[0, 1], [1]] }), 'line 2: expected val[1] to be [step, value], got [1]'],
    [line({ monitored: 'loss' }), 'line 2: expected monitored to be train or val, got "loss"'],
    [line({ direction: 'up' }), 'line 2: expected direction to be minimize or maximize, got "up"'],
    [line({ curveDirection: 'minimize' }), 'line 2: expected direction to be minimize or maximize, got nothing'],
    [line({ whole: 1 }), 'line 2: expected whole to be true or false, got 1'],
    [line({ val: [[0, '3']] }), 'line 2: expected val[0] to be [step, value], got [0,"3"]'],
  ])('is refused with the line number of %s', (bad, message) => {
    expect(() => readCurves(`${line()}\n${bad}`)).toThrow(message);
  });

  it('keeps values that are not finite, and leaves out curves that cannot be replayed', () => {
    const broken = line().replace('[50,1.5]', '[50,NaN]');
    const { curves, skipped } = readCurves(
      [broken, line({ val: val.slice(0, 4) }), line({ steps: 200 }), line({ val: [] })].join('\n'),
    );
    expect(curves[0]?.points[5]?.value).toBeNaN();
    expect(skipped.map(({ line: at, reason }) => `${at}: ${reason}`)).toEqual([
      '2: its curve has 4 points, 8 are needed',
      '3: its curve ends at step 100 of 200',
      '4: val is empty, so there is no final value',
    ]);
  });

  it('distinguishes a run that was stopped early from one without an end', () => {
    const { skipped } = readCurves([line({ val: [], status: 'aborted' }), line({ val: [] })].join('\n'));
    expect(skipped.map(({ reason }) => reason)).toEqual([STOPPED, 'val is empty, so there is no final value']);
  });

  it('uses the last attempt of a restarted log', () => {
    const { curves } = readCurves(line({ val: [[0, 9], [10, 8], ...val] }));
    expect(curves[0]?.points).toHaveLength(11);
  });

  it('uses the curve and the key `whole` of its line, without points that step back', () => {
    const train = [
      [0, 9],
      [20, 8],
      [10, 7],
      [50, 6],
    ];
    const { curves, skipped } = readCurves(
      [{ whole: true }, {}, { whole: false }].map((more) => line({ train, monitored: 'train', ...more })).join('\n'),
    );
    expect(curves.map(({ points }) => points.map(({ step }) => step))).toEqual([[0, 20, 50]]);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      'its curve has 3 points, 8 are needed',
      'it has "whole": false (the run did not end, or the time of a line is unknown)',
    ]);
  });

  it('uses only the requested track', () => {
    expect(readCurves(`${line()}\n${line({ track: 'other' })}`, { track: 'other' }).curves).toHaveLength(1);
  });
});

describe('curves of the standard input', () => {
  const LOADER = fileURLToPath(new URL('../../../tasks/curves/load-curves.ts', import.meta.url));
  const PROGRAM = `import(${JSON.stringify(LOADER)})
  .then(({ loadCurves }) => loadCurves('-'))
  .then((read) => console.log(JSON.stringify(read)), ({ message }) => console.log(message))`;

  /** Loads curves in a child process with that standard input. */
  const load = (input: string): string =>
    execFileSync(process.execPath, ['--import', 'tsx', '-e', PROGRAM], { input, encoding: 'utf8' });

  test('a dash means the curves of the standard input', () => {
    const val = Array.from({ length: 21 }, (_, i) => [5 * i, 3 - i / 10]);
    const line = JSON.stringify({ track: 't', group: 'g', run: 'r', steps: 100, val, train: [] });
    expect(JSON.parse(load(line))).toMatchObject({ curves: [{ final: 1 }], tracks: ['t'] });
    expect(load('')).toContain('Expected a file of curves at -, got an empty one');
  });
});
