import { describeBest } from '../render/gain.ts';
import { describeEnd, renderLogLine } from '../render/log-line.ts';
import { formatValue } from '../render/number.ts';
import { unitOf } from '../render/status.ts';
import { oneLine } from '../render/text.ts';
import type { Snapshot } from './snapshot.ts';

const CATCH_UP = 10;

/** What the plain lines have told so far. */
export interface Told {
  phase: string | null;
  /** Number to how it ended, of the trials in the last snapshot. */
  trials: Map<number, string>;
  claims: number;
  baseline: boolean;
}

export const nothingTold = (): Told => ({ phase: null, trials: new Map(), claims: 0, baseline: false });

/** One line for each event since the last look, and what is told now: phases, the baseline, verdicts, claims. */
export function plainLines(snapshot: Snapshot, told: Told): { lines: string[]; told: Told } {
  const { research, status } = snapshot;
  const unit = unitOf(research.task.metric);
  const lines: string[] = [];
  const phase = `${status.phase}${status.reason ? `: ${oneLine(status.reason)}` : ''}`;
  if (phase !== told.phase) lines.push(`${status.workflowId} ${phase}`);
  // Each verdict once: a trial that waits for its confirmation is told again when that has ruled.
  const fresh = snapshot.ended.filter((line) => told.trials.get(line.n) !== describeEnd(line)).reverse();
  // Who comes later is told the last few, not all that was.
  for (const line of told.phase === null ? fresh.slice(-CATCH_UP) : fresh)
    lines.push(renderLogLine(line, research.task.metric));
  if (status.baseline && !told.baseline)
    lines.push(
      `baseline ${formatValue(status.baseline.value, status.baseline.sd)}${unit}, sd of one run ${formatValue(status.baseline.sd)} (${status.baseline.n} runs)`,
    );
  const claims = snapshot.claims.filter((claim) => claim.seq > told.claims);
  if (claims.length > 0) lines.push(`best ${describeBest(status, unit)}`);
  return {
    lines,
    told: {
      phase,
      trials: new Map(snapshot.ended.map((line) => [line.n, describeEnd(line)])),
      claims: Math.max(told.claims, ...snapshot.claims.map((claim) => claim.seq)),
      baseline: status.baseline !== null,
    },
  };
}
