import { formatSeconds, formatUsd, percent, unitText } from '../../../../domain/text/format.ts';
import { plural } from '../../../../domain/text/plural.ts';
import type { ResearchSince } from '../../../api/research/since.ts';
import { zoomText } from '../../parts/chart/zoom.ts';
import { hrefOf } from '../../address.ts';
import { formatInteger, formatResult, formatSigned, formatValue } from '../../parts/numbers.ts';

/** A figure of a period: its text, and the address of the page that shows its subject. */
export interface SinceFigure {
  name: 'trials' | 'claims' | 'stops' | 'spend' | 'slots';
  text: string;
  /** Text of a candidate or a machine that belongs to the figure; null if there is none. */
  why: string | null;
  href: string;
}

interface Period {
  since: string;
  now: string;
}

/** Address of the chart of a research, zoomed into a time. */
export function stretchHref(
  { id, createdAt }: Pick<ResearchSince, 'id' | 'createdAt'>,
  { since, now }: Period,
): string {
  const seconds = (at: string): number => Math.max(0, (Date.parse(at) - Date.parse(createdAt)) / 1000);
  const [from, to] = [seconds(since), seconds(now)];
  return hrefOf(['r', id], { x: 'time', 'c.zoom': from < to ? zoomText({ x: [from, to], y: null }) : null });
}

/** Figures of a research in a period. Those of things that did not happen are left out, except for the trials. */
export function sinceFigures(one: ResearchSince, period: Period): SinceFigure[] {
  const { id, stops, spend, slotShare } = one;
  const figures: SinceFigure[] = [
    {
      name: 'trials',
      text: trialsText(countEnded(one)),
      why: null,
      href: hrefOf(['r', id, 'trials'], { per: 'run', since: period.since, sort: 'ended' }),
    },
  ];
  if (one.claims > 0)
    figures.push({ name: 'claims', text: claimsText(one), why: null, href: stretchHref(one, period) });
  if (stops !== null)
    figures.push({
      name: 'stops',
      text: `${plural(stops.count, 'stop')} of ${formatSeconds(Math.round(stops.seconds))}`,
      why: stops.reason,
      href: stretchHref(one, { since: stops.from, now: stops.to }),
    });
  if (spend.usd > 0)
    figures.push({
      name: 'spend',
      text: formatUsd(spend.usd),
      why: null,
      href: hrefOf(['spend'], { research: id }),
    });
  if (slotShare !== null)
    figures.push({
      name: 'slots',
      text: `${percent(slotShare)} of slot time used`,
      why: null,
      href: hrefOf(['fleet'], { hours: hoursFor(period) }),
    });
  return figures;
}

/** Number of trials that ended. */
export const countEnded = ({ ended }: Pick<ResearchSince, 'ended'>): number =>
  Object.values(ended).reduce((sum, count) => sum + count, 0);

const trialsText = (count: number): string => `${formatInteger(count)} ${count === 1 ? 'trial' : 'trials'}`;

/** Claims with their way, such as `3 claims (1.543 → 1.512, +0.031 ± 0.006)`. */
function claimsText({ claims, progress, metric, sd }: ResearchSince): string {
  const count = plural(claims, 'claim');
  if (progress === null || progress.from === null || progress.gain === null) return count;
  const noise = progress.half ?? sd;
  const half = progress.half === null ? '' : ` ± ${formatValue(progress.half, noise)}`;
  const way = `${formatResult(progress.from, noise)} → ${formatResult(progress.to, noise)}`;
  return `${count} (${way}${unitText(metric.unit)}, ${formatSigned(progress.gain, noise)}${half})`;
}

/** The shortest time span of the fleet's page that holds the period, else the longest. */
function hoursFor({ since, now }: Period): string {
  const hours = (Date.parse(now) - Date.parse(since)) / 3_600_000;
  if (hours <= 1) return '1';
  return hours <= 6 ? '6' : '24';
}
