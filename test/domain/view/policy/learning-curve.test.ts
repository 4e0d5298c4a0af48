import { describe, expect, it } from 'vitest';
import { type LearningRow, learningCurveLines } from '../../../../domain/view/policy/learning-curve.ts';

const row = (update: number, reward: number | null): LearningRow => ({ update, reward, legal: 0.5, entropy: 1.59 });
const rising = [-1, -0.5, 0, 0.5, 1].map((reward, index) => row(index + 1, reward));

describe('learningCurveLines', () => {
  it('draws one mark an update, from bottom to top where the reward rises, and tells the latest numbers', () => {
    expect(learningCurveLines({ rows: rising, updates: 5, height: 5 })).toEqual([
      ' 1.00 │    ●',
      ' 0.50 │   ●',
      ' 0.00 │  ●',
      '-0.50 │ ●',
      '-1.00 │●',
      '      └─────',
      '       1   5  update',
      'update 5 · reward 1.00 · legal 50 % · entropy 1.590',
    ]);
  });

  it('leaves room for updates that are still to come, and none for those without a reward', () => {
    const lines = learningCurveLines({ rows: [row(1, 0.5), row(2, null), row(3, 0.5)], updates: 9, height: 3 });
    expect(lines).toEqual([
      ' 0.50 │● ●',
      ' 0.25 │',
      ' 0.00 │',
      '      └─────────',
      '       1       9  update',
      'update 3 · reward 0.50 · legal 50 % · entropy 1.590',
    ]);
  });

  it('draws what it is compared with as dotted lines with their names, behind the marks', () => {
    const references = [
      { name: 'best constant', value: 0.6 },
      { name: 'random', value: -0.44 },
      { name: 'lr 0', value: -0.44 },
    ];
    const lines = learningCurveLines({ rows: [row(1, -0.44), row(2, 0.08)], updates: 4, references, height: 3 });
    expect(lines.slice(0, 3)).toEqual([' 0.60 │···· best constant', ' 0.08 │ ●', '-0.44 │●··· random, lr 0']);
  });

  it('holds the mean of several updates in a column where they are too many for the width', () => {
    const rows = Array.from({ length: 400 }, (_, index) => row(index + 1, index % 2));
    const lines = learningCurveLines({ rows, updates: 400, width: 63, height: 3 });
    expect(lines[0]).toBe(` 0.50 │${'●'.repeat(40)}`);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(63);
  });

  it('says so where there is nothing yet, and draws a single value', () => {
    expect(learningCurveLines({ rows: [], updates: 3, height: 2 })).toEqual([
      ' 0.00 │',
      '-1.00 │',
      '      └───',
      '       1 3  update',
      'no update yet',
    ]);
    expect(learningCurveLines({ rows: [row(1, 0)], updates: 1, height: 2 })[0]).toBe(' 0.00 │●');
  });

  it('grows its axis where more updates come than were planned', () => {
    expect(learningCurveLines({ rows: rising, updates: 2, height: 5 })[0]).toBe(' 1.00 │    ●');
  });
});
