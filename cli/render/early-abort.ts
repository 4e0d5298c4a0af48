import { howMany } from '../../domain/how-many.ts';
import type { AbortTally } from '../../domain/abort/audit/tally.ts';
import { formatSeconds } from './number.ts';

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;

/** "12 runs stopped, 3 h of slots saved; audited 30, 1 wrong (0.1 % to 17 %): too few to say". */
export function describeAbort({ stopped, savedSeconds, audit }: AbortTally): string {
  const saved = stopped === 0 ? '' : `, ${formatSeconds(savedSeconds)} of slots saved`;
  const runs = `${howMany(stopped, 'run')} stopped${saved}`;
  if (audit.audited === 0) return `${runs}; none audited yet`;
  const interval = `${percent(audit.low)} to ${percent(audit.high)}`;
  return `${runs}; audited ${audit.audited}, ${audit.wrong} of them wrong (${interval}): ${audit.verdict}`;
}
