import { describe, expect, it, test } from 'vitest';
import { renderCurve } from '../../../../cli/render/show/curve.ts';
import { renderForecast } from '../../../../cli/render/show.ts';

const options = { width: 30, name: 'loss' };

describe('a learning curve', () => {
  it('begins at its first value and ends at its last, top to bottom as it falls', () => {
    const lines = renderCurve(
      [
        { step: 0, value: 4 },
        { step: 50, value: 3 },
        { step: 100, value: 2 },
      ],
      options,
    );
    expect(lines[0]).toBe('loss, step 0 to 100, last 2.000');
    expect(lines).toHaveLength(10);
    expect(lines[1]).toBe('  4.000 │⠁');
    expect(lines[8]).toMatch(/^ {2}2\.000 │ +⢀$/);
  });

  it('counts the points that cannot be drawn, and draws the others', () => {
    const lines = renderCurve(
      [
        { step: 1, value: 1 },
        { step: 2, value: Number.NaN },
        { step: 3, value: Infinity },
      ],
      options,
    );
    expect(lines.at(-1)).toBe('  2 of 3 points are not finite');
    expect(renderCurve([{ step: 1, value: Number.NaN }], options)).toEqual(['  1 of 1 points are not finite']);
  });

  it('survives a flat line and a single step', () => {
    expect(
      renderCurve(
        [
          { step: 5, value: 1 },
          { step: 5, value: 1 },
        ],
        options,
      )[1],
    ).toContain('⠁');
  });

  it('marks the step at which a rule wanted to stop the run, to its right or, without room, to its left', () => {
    const falling = Array.from({ length: 101 }, (_, step) => ({ step, value: 4 - step / 50 }));
    const marked = (step: number) =>
      renderCurve(falling, { width: 60, name: 'loss', mark: { step, label: 'stopped at 35 %' } });
    expect(marked(0).at(-1)).toMatch(/^ {9}▲ stopped at 35 %$/);
    expect(marked(100).at(-1)).toMatch(/^ +stopped at 35 % ▲$/);
    expect(marked(100).at(-1)).toHaveLength(marked(100).at(-2)?.length ?? 0);
  });
});

describe('a forecast', () => {
  const bits = { width: 40, name: 'bits' };

  test('lies within its interval, beside the value to beat', () => {
    const [words, strip] = renderForecast({ forecast: 1.08, low: 1.06, high: 1.1, toBeat: 1.02 }, bits);
    expect(words).toBe('forecast of bits: ● 1.080 ├┤ its 95 % interval (no decision uses it), ┃ 1.020 to beat');
    expect(strip).toMatch(/^ {2}1\.020 ┃ +├─+●─+┤ 1\.100$/);
    expect(strip?.length).toBeLessThanOrEqual(bits.width);
  });

  test.each([
    [{ forecast: null, low: null, high: null, toBeat: 1 }, []],
    [
      { forecast: 2, low: null, high: null, toBeat: null },
      ['forecast of bits: ● 2.000', `  2.000 ●${' '.repeat(23)} 2.000`],
    ],
  ])('leaves out values that the rule did not give: %j', (forecast, lines) => {
    expect(renderForecast(forecast, bits)).toEqual(lines);
  });
});
