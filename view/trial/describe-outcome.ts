import type { AbortRecord } from '../../domain/abort/record.ts';
import { describeAbortRecord } from '../../domain/abort/record.ts';
import type { HostFacts } from '../../domain/fleet/slots.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { formatValue } from '../../domain/text/format.ts';
import type { FailureLabel, ShownVerdict, TrialStatus } from '../../domain/trial.ts';

/** A verdict, with what it means where its name does not say that. */
export const describeVerdict = (verdict: ShownVerdict): string =>
  verdict === 'absorbed' ? 'absorbed: no claim of its own; its edit is in the lead' : verdict;

interface Ended {
  status: TrialStatus | null;
  failure: FailureLabel | null;
  failureMessage: string | null;
}

/** A trial's failure; null where it has none. A run that was stopped early has not failed: its rule says why. */
export const describeFailure = (trial: Ended, judged: AbortRecord | null): string | null =>
  trial.failure === null || (judged && trial.failure === 'cannot-win')
    ? null
    : `${trial.failure}: ${oneLine(trial.failureMessage ?? '')}`;

/** How a trial ended, and why. */
export function describeOutcome(trial: Ended, judged: AbortRecord | null): string {
  if (trial.status === null) return 'under way';
  const stopped = trial.failure === 'cannot-win' && judged ? oneLine(describeAbortRecord(judged)) : null;
  const why = describeFailure(trial, judged) ?? stopped;
  const status = trial.status.replace('_', ' ');
  return why === null ? status : `${status}: ${why}`;
}

/** The reward with the numbers that it is made of. */
export function describeReward(given: {
  reward: number | null;
  rewardParts: Record<string, number> | null;
  rewardReason: string | null;
}): string {
  const { reward, rewardParts, rewardReason } = given;
  const parts = Object.entries(rewardParts ?? {}).map(([name, part]) => `${name} ${formatValue(part)}`);
  return `${reward === null ? 'none' : formatValue(reward)}: ${[rewardReason, ...parts].join(' · ')}`;
}

/** "2 × NVIDIA H100, 16 cores, 128 GiB of memory". */
export const describeMachine = ({ cores, memoryMb, gpus }: Pick<HostFacts, 'cores' | 'memoryMb' | 'gpus'>): string =>
  [...gpuWords(gpus), `${cores} cores`, `${Math.round(memoryMb / 1024)} GiB of memory`].join(', ');

function gpuWords(gpus: HostFacts['gpus']): string[] {
  const kinds = new Map<string, number>();
  for (const { name } of gpus) kinds.set(name, (kinds.get(name) ?? 0) + 1);
  return [...kinds].map(([name, n]) => (n === 1 ? name : `${n} × ${name}`));
}
