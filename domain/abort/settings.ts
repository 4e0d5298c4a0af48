import type { Metric, Progress } from '../schema/metric.ts';
import type { Run } from '../schema/run.ts';
import { type AuditSettings, planAudit, type AuditPlan } from './audit/audit-plan.ts';
import { type AbortChoice, type AbortRuleName, abortOf, DEFAULT_RULE } from './table.ts';
import type { AbortConfig, RunBudget } from './types.ts';

/** The sections of a task that decide early abort. */
interface AbortTask {
  search: { abort?: AbortChoice | undefined };
  abort: Pick<AbortConfig, 'errorTarget' | 'burnIn' | 'cadence'> & { audit: AuditSettings; carry: boolean };
  metric: Pick<Metric, 'direction'>;
  progress?: Progress | undefined;
  run: Pick<Run, 'budget'>;
}

/** Early-abort settings of a task, resolved. */
export interface AbortSettings {
  rule: AbortRuleName;
  /** The rule with its settings, as the task states it. */
  choice: AbortChoice;
  config: AbortConfig;
  audit: AuditPlan;
  /** The rule begins with finished curves of earlier researches. */
  carries: boolean;
  budget: RunBudget;
}

/**
 * Returns the early-abort settings of a task. Null if no run is ever stopped early: the rule stops nothing, or progress
 * lines give no share of the budget (`curveBudget`). `trials` is the number that the research plans; null: no limit.
 * Throws UnknownMethod for a rule that this build does not have.
 */
export function abortSettings(task: AbortTask, trials: number | null): AbortSettings | null {
  const { search, abort, metric, progress } = task;
  const budget = curveBudget(task);
  const choice = search.abort ?? DEFAULT_RULE;
  const { name, method } = abortOf(choice);
  if (!method.stops || budget === null) return null;
  const { audit, carry, ...limits } = abort;
  return {
    rule: name,
    choice,
    config: { ...limits, direction: metric.direction, curveDirection: progress?.direction ?? 'minimize' },
    audit: planAudit(audit, trials),
    carries: carry && method.carries,
    budget,
  };
}

/**
 * Returns the measure of a point's share of the budget: the share that the run prints, else its planned steps, else
 * wall-clock seconds. Null without progress lines, and for a budget in reference seconds whose lines give neither.
 */
export function curveBudget({ run, progress }: Pick<AbortTask, 'run' | 'progress'>): RunBudget | null {
  if (!progress) return null;
  if (printsShare(progress)) return { kind: 'shares', total: 1 };
  if (progress.steps !== undefined) return { kind: 'steps', total: progress.steps };
  return run.budget.kind === 'reference' ? null : { kind: 'seconds', total: run.budget.seconds };
}

const printsShare = ({ format, pattern, share }: Progress): boolean =>
  format === 'json' ? share !== undefined : (pattern ?? '').includes('(?<share>');
