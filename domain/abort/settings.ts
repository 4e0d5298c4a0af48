import type { Metric, Progress } from '../schema/metric.ts';
import type { Run } from '../schema/run.ts';
import { type AuditSettings, planAudit, type AuditPlan } from './audit/audit-plan.ts';
import { type AbortChoice, type AbortRuleName, abortOf, DEFAULT_RULE } from './table.ts';
import type { AbortConfig, RunBudget } from './types.ts';

/** The sections of a task that say it. */
interface AbortTask {
  search: { abort?: AbortChoice | undefined };
  abort: Pick<AbortConfig, 'errorTarget' | 'burnIn' | 'cadence'> & { audit: AuditSettings; carry: boolean };
  metric: Pick<Metric, 'direction'>;
  progress?: Progress | undefined;
  run: Pick<Run, 'budget'>;
}

/** How runs of a task are stopped early. */
export interface AbortSettings {
  rule: AbortRuleName;
  /** The rule with its own settings, as the task has it. */
  choice: AbortChoice;
  config: AbortConfig;
  audit: AuditPlan;
  /** It begins with finished curves of earlier researches. */
  carries: boolean;
  budget: RunBudget;
}

/**
 * What a task asks for, or null where nothing is ever stopped early: a rule that stops nothing, or no progress lines to go
 * by. `trials` is what the research plans; null: no limit. Throws UnknownMethod for a rule that this build does not have.
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
 * What a point's share of the budget is measured by: what the run itself says, else its planned steps, else wall clock;
 * null without progress lines, and where the run's clock is its own and its lines don't tell it.
 */
export function curveBudget({ run, progress }: Pick<AbortTask, 'run' | 'progress'>): RunBudget | null {
  if (!progress) return null;
  if (saysShare(progress)) return { kind: 'shares', total: 1 };
  if (progress.steps !== undefined) return { kind: 'steps', total: progress.steps };
  return run.budget.kind === 'reference' ? null : { kind: 'seconds', total: run.budget.seconds };
}

const saysShare = ({ format, pattern, share }: Progress): boolean =>
  format === 'json' ? share !== undefined : (pattern ?? '').includes('(?<share>');
