import type { BudgetLine } from '../../db/reads/page/spend/read-budgets.ts';
import type { StatusView } from '../../view/status.ts';
import type { TemporalState } from '../temporal/read-temporal-state.ts';

/**
 * `perpetua status --json`. Public format: do not rename keys. Without a reason of the research, `reason` is the
 * obstacle in Temporal.
 */
export function statusJson(view: StatusView, { obstacle, failing, error }: TemporalState) {
  const { workflowId, task, phase, proposer, own, metric, baseline, best, lead, trials, verdicts, window } = view;
  const { compute, queue, wait, spend, budget, rates, earlyAbort, losingStreak, failedBaseline } = view;
  const { contention, learning, arms, alerts } = view;
  return {
    workflowId,
    task,
    phase,
    reason: view.reason ?? obstacle,
    proposer,
    ...own,
    metric,
    baseline,
    best,
    compute,
    lead,
    trials,
    verdicts,
    window,
    queue,
    wait,
    spend,
    budget,
    rates,
    earlyAbort,
    losingStreak,
    failedBaseline,
    contention,
    learning,
    arms,
    alerts,
    failing,
    temporalError: error,
  };
}

/**
 * Times at which the budget's limits are reached, part of the same format. `watch --json` omits them, since they
 * change every second.
 */
export const forecastJson = (lines: readonly BudgetLine[]) =>
  lines.map(({ limit, spent, of, atEnd, reachedAt, words }) => ({ limit, spent, of, atEnd, reachedAt, words }));

export type StatusJson = ReturnType<typeof statusJson>;
