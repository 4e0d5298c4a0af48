import type { LogLine } from '../../db/reads/read-log.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { describeEnd, describeKind, describeScore } from '../../view/trial/verdict.ts';
import { pad } from './text/text.ts';

/** Width of the longest failure label, `stopped-by-operator`. */
const END_WIDTH = 19;

/** An ended trial as a line: number, kind, verdict or failure, value, seconds, hypothesis, reason. */
export function renderLogLine(line: LogLine, metric: { unit?: string | undefined }): string {
  const seconds = line.seconds === null ? '' : formatSeconds(line.seconds);
  const texts = [line.hypothesis, line.reason].filter((text): text is string => Boolean(text)).map(oneLine);
  return [
    pad(`#${line.n}`, 6),
    pad(describeKind(line), 12),
    pad(describeEnd(line), END_WIDTH),
    pad(describeScore(line, metric.unit), 12),
    pad(seconds, 10),
    texts.join(' — '),
  ]
    .join(' ')
    .trimEnd();
}
