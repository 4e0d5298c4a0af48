import type { BudgetLine } from '../../db/reads/page/spend/read-budgets.ts';
import type { StatusView } from '../../view/status.ts';
import type { TemporalState } from '../temporal/read-temporal-state.ts';

/** `perpetua status --json`; a contract. What keeps a research from going on is its reason where it has no other. */
export function statusJson(view: StatusView, { obstacle: finding, failing, error }: TemporalState) {
  const { workflowId, task, phase, proposer, own, metric, baseline, best, lead, trials, verdicts, window } = view;
  const { compute, queue, wait, spend, budget, rates, earlyAbort, losingStreak, failedBaseline, learning, alerts } =
    view;
  return {
    ...{
      workflowId,
      task,
      phase,
      reason: view.reason ?? finding,
      proposer,
      ...own,
      metric,
      baseline,
      best,
      compute,
      lead,
    },
    ...{ trials, verdicts, window, queue, wait, spend, budget },
    ...{ rates, earlyAbort, losingStreak, failedBaseline, learning, alerts },
    ...{ failing, temporalError: error },
  };
}

/** When each limit of the budget is reached, of the same contract; a watch leaves it out, since it changes by the second. */
export const forecastJson = (lines: readonly BudgetLine[]) =>
  lines.map(({ limit, spent, of, atEnd, reachedAt, words }) => ({ limit, spent, of, atEnd, reachedAt, words }));

export type StatusJson = ReturnType<typeof statusJson>;
