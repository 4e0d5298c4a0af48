import type { AbortRecord } from '../../domain/abort/record.ts';
import { describeAbortRecord } from '../../domain/abort/record.ts';
import type { HostFacts } from '../../domain/fleet/slots.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { formatValue } from '../../domain/text/format.ts';
import type { FailureLabel, ShownVerdict, TrialStatus } from '../../domain/trial.ts';

/** Describes a verdict, with an explanation if its name is not clear. */
export const describeVerdict = (verdict: ShownVerdict): string =>
  verdict === 'absorbed' ? 'absorbed: no claim of its own; its edit is in the lead' : verdict;

interface Ended {
  status: TrialStatus | null;
  failure: FailureLabel | null;
  failureMessage: string | null;
  /** Trial of another research that measured the value. */
  reusedFrom?: string | null;
}

/** Describes a trial's failure; null if it has none. A run that its rule stopped early counts as no failure. */
export const describeFailure = (trial: Ended, judged: AbortRecord | null): string | null =>
  trial.failure === null || (judged && trial.failure === 'cannot-win')
    ? null
    : `${trial.failure}: ${oneLine(trial.failureMessage ?? '')}`;

/** Describes the end of a trial and its reason. */
export function describeOutcome(trial: Ended, judged: AbortRecord | null): string {
  if (trial.status === null) return 'under way';
  const stopped = trial.failure === 'cannot-win' && judged ? oneLine(describeAbortRecord(judged)) : null;
  const reason = describeFailure(trial, judged) ?? stopped;
  const status = trial.status.replace('_', ' ');
  if (trial.reusedFrom) return `${status}: ${describeReuse(trial.reusedFrom)}`;
  return reason === null ? status : `${status}: ${reason}`;
}

/** Describes the origin of a value that a trial did not measure. */
export const describeReuse = (reusedFrom: string): string => `the value of trial ${oneLine(reusedFrom)}, reused`;

/** Describes a reward and its terms. */
export function describeReward(given: {
  reward: number | null;
  rewardParts: Record<string, number> | null;
  rewardReason: string | null;
}): string {
  const { reward, rewardParts, rewardReason } = given;
  const parts = Object.entries(rewardParts ?? {}).map(([name, part]) => `${name} ${formatValue(part)}`);
  return `${reward === null ? 'none' : formatValue(reward)}: ${[rewardReason, ...parts].join(' · ')}`;
}

/** Describes a machine: "2 × NVIDIA H100, 16 cores, 128 GiB of memory". */
export const describeMachine = ({ cores, memoryMb, gpus }: Pick<HostFacts, 'cores' | 'memoryMb' | 'gpus'>): string =>
  [...describeGpus(gpus), `${cores} cores`, `${Math.round(memoryMb / 1024)} GiB of memory`].join(', ');

function describeGpus(gpus: HostFacts['gpus']): string[] {
  const kinds = new Map<string, number>();
  for (const { name } of gpus) kinds.set(name, (kinds.get(name) ?? 0) + 1);
  return [...kinds].map(([name, n]) => (n === 1 ? name : `${n} × ${name}`));
}
