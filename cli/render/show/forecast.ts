import { formatValue } from '../../../domain/text/format.ts';
import type { ForecastView } from '../../../view/trial/forecast.ts';
import { pad, widthOf } from '../text/text.ts';

/**
 * The forecast of a rule on the metric's own axis, which may be another quantity than the curve's: `├──●──┤` is the forecast
 * with its 95 % interval, `┃` what the run was to beat. Nothing where the rule made no forecast.
 */
export function renderForecast(
  { forecast, low, high, toBeat }: Pick<ForecastView, 'forecast' | 'low' | 'high' | 'toBeat'>,
  { width, name }: { width: number; name: string },
): string[] {
  if (forecast === null) return [];
  const places = [forecast, low, high, toBeat].filter((place) => place !== null);
  const [from, to] = [Math.min(...places), Math.max(...places)];
  const left = formatValue(from);
  const cells = Math.max(8, Math.min(60, width - widthOf(left) - widthOf(formatValue(to)) - 6));
  const cellOf = (value: number): number =>
    to > from ? Math.round(((Math.min(Math.max(value, from), to) - from) / (to - from)) * (cells - 1)) : 0;
  const strip = new Array<string>(cells).fill(' ');
  const hasInterval = low !== null && high !== null;
  if (hasInterval) {
    strip.fill('─', cellOf(low), cellOf(high) + 1);
    strip[cellOf(low)] = '├';
    strip[cellOf(high)] = '┤';
  }
  strip[cellOf(forecast)] = '●';
  if (toBeat !== null) strip[cellOf(toBeat)] = '┃';
  const beat = toBeat === null ? '' : `, ┃ ${formatValue(toBeat)} to beat`;
  return [
    `forecast of ${name}: ● ${formatValue(forecast)}${hasInterval ? ' ├┤ with its 95 % (no decision rests on that)' : ''}${beat}`,
    `  ${left} ${pad(strip.join(''), cells)} ${formatValue(to)}`,
  ];
}
