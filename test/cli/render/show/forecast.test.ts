import { expect, test } from 'vitest';
import { renderForecast } from '../../../../cli/render/show.ts';

const options = { width: 40, name: 'bits' };

test('the forecast lies within its interval, and what it had to beat beside it', () => {
  const [words, strip] = renderForecast({ forecast: 1.08, low: 1.06, high: 1.1, toBeat: 1.02 }, options);
  expect(words).toBe('forecast of bits: ● 1.080 ├┤ with its 95 % (no decision rests on that), ┃ 1.020 to beat');
  expect(strip).toMatch(/^ {2}1\.020 ┃ +├─+●─+┤ 1\.100$/);
  expect(strip?.length).toBeLessThanOrEqual(options.width);
});

test.each([
  [{ forecast: null, low: null, high: null, toBeat: 1 }, []],
  [
    { forecast: 2, low: null, high: null, toBeat: null },
    ['forecast of bits: ● 2.000', `  2.000 ●${' '.repeat(23)} 2.000`],
  ],
])('a rule that said less is told with less: %j', (said, lines) => {
  expect(renderForecast(said, options)).toEqual(lines);
});
