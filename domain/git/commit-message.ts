import { oneLine } from '../text/sanitize.ts';
import { formatResult, formatSigned, unitText } from '../text/format.ts';
import { plural } from '../text/plural.ts';

/** A claim as a commit tells of it. Seq 0 is the unmodified version, before the first claim. */
export interface ClaimCommit {
  researchId: string;
  task: string;
  seq: number;
  candidateId: string;
  /** The trial that it confirms; null for the unmodified version. */
  trialId: string | null;
  hypothesis: string | null;
  reason: string | null;
  by: string;
  metric: { name: string; direction: 'minimize' | 'maximize'; unit: string | null };
  /** Null before it was measured, and where it was measured by another metric than that of now. */
  value: { mean: number; sd: number | null; n: number } | null;
  /** Mean of the unmodified version; null where it was not measured. */
  baseline: number | null;
}

const LONGEST_SUBJECT = 72;

/** A message of the field's form: the hypothesis, numbers and reason, and trailers by which a claim is found again. */
export function commitMessage(claimed: ClaimCommit): string {
  const { researchId, seq, trialId, candidateId, reason, by } = claimed;
  const said = reason === null ? [] : [`Why: ${oneLine(reason)}${by === 'gate' ? '' : ` (by ${oneLine(by)})`}`];
  const body = [...numbers(claimed), ...said];
  const trailers = [
    `Perpetua-Research: ${researchId}`,
    `Perpetua-Claim: ${seq}`,
    ...(trialId === null ? [] : [`Perpetua-Trial: ${trialId}`]),
    `Perpetua-Candidate: ${candidateId}`,
  ];
  return `${[subjectOf(claimed), ...(body.length > 0 ? [body.join('\n')] : []), trailers.join('\n')].join('\n\n')}\n`;
}

function subjectOf({ seq, task, trialId, hypothesis }: ClaimCommit): string {
  if (seq === 0) return `The unmodified version of ${task}`;
  if (trialId === null) return `Back to the unmodified version of ${task}`;
  const text = oneLine(hypothesis ?? '') || `Claim ${seq}, of trial ${trialId}`;
  return text.length <= LONGEST_SUBJECT ? text : `${text.slice(0, LONGEST_SUBJECT - 1)}…`;
}

function numbers({ value, metric, baseline, hypothesis }: ClaimCommit): string[] {
  const whole = oneLine(hypothesis ?? '');
  const rest = whole.length > LONGEST_SUBJECT ? [whole, ''] : [];
  if (value === null) return rest;
  const gain =
    baseline === null ? null : metric.direction === 'minimize' ? baseline - value.mean : value.mean - baseline;
  const over =
    gain === null || baseline === null || gain === 0
      ? ''
      : `, a gain of ${formatSigned(gain, value.sd)} over the unmodified version (${formatResult(baseline, value.sd)})`;
  const sd = value.sd === null ? '' : `, sd of one run ${formatResult(value.sd)}`;
  return [
    ...rest,
    `${oneLine(metric.name)} ${formatResult(value.mean, value.sd)}${unitText(metric.unit)}${over}`,
    `Measured by ${plural(value.n, 'run')}${sd}.`,
  ];
}

/** The claim that a message is of, by its last paragraph: a hypothesis stands above it as a line of its own. Null where it is of none. */
export function parseClaim(message: string): { researchId: string; seq: number } | null {
  const trailers = message.trimEnd().split('\n\n').at(-1) ?? '';
  const researchId = /^Perpetua-Research: (.+)$/m.exec(trailers)?.[1];
  const seq = /^Perpetua-Claim: (\d+)$/m.exec(trailers)?.[1];
  return researchId === undefined || seq === undefined ? null : { researchId, seq: Number(seq) };
}
