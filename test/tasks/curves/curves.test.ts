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
    [line({ steps: 0 }), 'line 2: expected steps to be a number above 0, came 0'],
    [line({ group: 3 }), 'line 2: expected group to be a text, came 3'],
    [line({ train: undefined }), 'line 2: expected train to be a list, came nothing'],
    [line({ val: [[0, 1], [1]] }), 'line 2: expected val[1] to be [step, value], came [1]'],
    [line({ monitored: 'loss' }), 'line 2: expected monitored to be train or val, came "loss"'],
    [line({ direction: 'up' }), 'line 2: expected direction to be minimize or maximize, came "up"'],
    [line({ curveDirection: 'minimize' }), 'line 2: expected direction to be minimize or maximize, came nothing'],
    [line({ whole: 1 }), 'line 2: expected whole to be true or false, came 1'],
    [line({ val: [[0, '3']] }), 'line 2: expected val[0] to be [step, value], came [0,"3"]'],
  ])('is refused with the line where %s stands', (bad, message) => {
    expect(() => readCurves(`${line()}\n${bad}`)).toThrow(message);
  });

  it('keeps what is not finite in the curve, and leaves out what cannot be replayed', () => {
    const broken = line().replace('[50,1.5]', '[50,NaN]');
    const { curves, skipped } = readCurves(
      [broken, line({ val: val.slice(0, 4) }), line({ steps: 200 }), line({ val: [] })].join('\n'),
    );
    expect(curves[0]?.points[5]?.value).toBeNaN();
    expect(skipped.map(({ line: at, reason }) => `${at}: ${reason}`)).toEqual([
      '2: 4 points; 8 are needed',
      '3: it ends at step 100 of 200',
      '4: val is empty, so there is no final value',
    ]);
  });

  it('tells a run that was stopped early from one without an end', () => {
    const { skipped } = readCurves([line({ val: [], status: 'aborted' }), line({ val: [] })].join('\n'));
    expect(skipped.map(({ reason }) => reason)).toEqual([STOPPED, 'val is empty, so there is no final value']);
  });

  it('takes the last attempt of a log that was restarted', () => {
    const { curves } = readCurves(line({ val: [[0, 9], [10, 8], ...val] }));
    expect(curves[0]?.points).toHaveLength(11);
  });

  it('takes the curve that its line names, whole as the line says, without what steps back', () => {
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
      '3 points; 8 are needed',
      'its line says that it is not whole',
    ]);
  });

  it('takes one track where it is asked to', () => {
    expect(readCurves(`${line()}\n${line({ track: 'other' })}`, { track: 'other' }).curves).toHaveLength(1);
  });
});

describe('curves of the standard input', () => {
  const LOADER = fileURLToPath(new URL('../../../tasks/curves/load-curves.ts', import.meta.url));
  const PROGRAM = `import(${JSON.stringify(LOADER)})
  .then(({ loadCurves }) => loadCurves('-'))
  .then((read) => console.log(JSON.stringify(read)), ({ message }) => console.log(message))`;

  /** Loads in a process of its own, which has a standard input of its own. */
  const load = (input: string): string =>
    execFileSync(process.execPath, ['--import', 'tsx', '-e', PROGRAM], { input, encoding: 'utf8' });

  test('a dash stands for the curves of the standard input', () => {
    const val = Array.from({ length: 21 }, (_, i) => [5 * i, 3 - i / 10]);
    const line = JSON.stringify({ track: 't', group: 'g', run: 'r', steps: 100, val, train: [] });
    expect(JSON.parse(load(line))).toMatchObject({ curves: [{ final: 1 }], tracks: ['t'] });
    expect(load('')).toContain('Expected a file of curves at -, came an empty one');
  });
});
