import type { LogLine } from '../../db/reads/read-log.ts';
import { describeTrust } from './gain.ts';
import { formatSeconds, formatValue } from './number.ts';
import { oneLine, pad } from './text.ts';

/** Of the longest label of a failure, `stopped-by-operator`. */
const END_WIDTH = 19;

/** One ended trial for people: number, kind, verdict or failure, value, seconds, hypothesis, reason. */
export function renderLogLine(line: LogLine, metric: { unit?: string | undefined }): string {
  const value = line.value === null ? '–' : `${formatValue(line.value)}${metric.unit ? ` ${metric.unit}` : ''}`;
  const seconds = line.seconds === null ? '' : formatSeconds(line.seconds);
  const words = [line.hypothesis, line.reason].filter((text): text is string => Boolean(text)).map(oneLine);
  return [
    pad(`#${line.n}`, 6),
    pad(describeKind(line), 12),
    pad(describeEnd(line), END_WIDTH),
    pad(`${value}${describeTrust(line)}`, 12),
    pad(seconds, 10),
    words.join(' — '),
  ]
    .join(' ')
    .trimEnd();
}

/** The verdict of a trial that was up for one; else how it ended. */
export const describeEnd = (line: Pick<LogLine, 'status' | 'verdict' | 'failure'>): string =>
  line.status === 'completed' && line.verdict !== 'none'
    ? line.verdict
    : (line.failure ?? line.status.replace('_', ' '));

/** The kind, with the search trial that it confirms. */
export const describeKind = (line: Pick<LogLine, 'kind' | 'ofTrial'>): string =>
  line.ofTrial === null ? line.kind : `${line.kind} #${line.ofTrial}`;
