import type { AbortRecord } from '../../../domain/abort/record.ts';
import { formatValue } from '../../../domain/text/format.ts';
import { pad, widthOf } from '../text/text.ts';

/**
 * The forecast of a rule on the metric's own axis, which may be another quantity than the curve's: `├──●──┤` is the forecast
 * with its 95 % interval, `┃` what the run was to beat. Nothing where the rule made no forecast.
 */
export function renderForecast(
  { forecast, interval, incumbent }: Pick<AbortRecord, 'forecast' | 'interval' | 'incumbent'>,
  { width, name }: { width: number; name: string },
): string[] {
  if (forecast === null || !Number.isFinite(forecast)) return [];
  const { low, high } = interval ?? { low: forecast, high: forecast };
  const places = [low, forecast, high, ...(incumbent === null ? [] : [incumbent])].filter(Number.isFinite);
  const [from, to] = [Math.min(...places), Math.max(...places)];
  const left = formatValue(from);
  const cells = Math.max(8, Math.min(60, width - widthOf(left) - widthOf(formatValue(to)) - 6));
  const cellOf = (value: number): number =>
    to > from ? Math.round(((Math.min(Math.max(value, from), to) - from) / (to - from)) * (cells - 1)) : 0;
  const strip = new Array<string>(cells).fill(' ');
  if (interval !== null) {
    strip.fill('─', cellOf(low), cellOf(high) + 1);
    strip[cellOf(low)] = '├';
    strip[cellOf(high)] = '┤';
  }
  strip[cellOf(forecast)] = '●';
  const toBeat = incumbent === null ? '' : `, ┃ ${formatValue(incumbent)} to beat`;
  if (incumbent !== null) strip[cellOf(incumbent)] = '┃';
  return [
    `forecast of ${name}: ● ${formatValue(forecast)}${interval === null ? '' : ' ├┤ with its 95 % (no decision rests on that)'}${toBeat}`,
    `  ${left} ${pad(strip.join(''), cells)} ${formatValue(to)}`,
  ];
}
