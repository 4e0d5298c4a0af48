import { fitOverrides, type Overrides, OverridesArg, type Settings, settingsOf } from '../../domain/task/overrides.ts';
import { choiceFor } from '../../domain/search/proposer/makers.ts';
import type { Budget } from '../../domain/schema/budget.ts';
import type { Task } from '../../domain/task/task.ts';
import { isDeepStrictEqual } from 'node:util';
import { describeIssue } from '../../domain/issue/describe-issue.ts';
import type { GateConfig } from '../../domain/gate/types.ts';
import { defaultBaselineRuns } from '../../domain/gate/default-baseline-runs.ts';
import { KEEP_OF_CHECKS } from '../../domain/search/keep.ts';
import { begunSearch } from '../../domain/search/begun-search.ts';
import type { Search } from '../../domain/search/schema.ts';
import { parentRuleOf } from '../../domain/search/parent/table.ts';
import { updatePlanIn } from '../../domain/search/update/table.ts';
import { LARGEST_WINDOW } from '../../domain/window/largest.ts';
import { refuse } from '../task/refuse.ts';
import type { Check } from './authors-of-checks.ts';

/**
 * Parses overrides that a person sent. Refuses, with the key's path, an unknown section and a section that is no
 * mapping.
 */
export function readOverrides(raw: unknown): Overrides {
  const parsed = OverridesArg.safeParse(raw ?? {});
  if (!parsed.success) throw refuse(`input: ${describeIssue(parsed.error, raw)}`, 'BadInput');
  return parsed.data;
}

/**
 * The task with a new research's overrides. Refuses overrides that do not fit the task, and values of other researches
 * in a research with a seed root, which is compared with others of that root.
 */
export function requireFit(
  task: Task,
  overrides: Overrides,
  { seed, check }: { seed?: string | undefined; check?: Check | undefined } = {},
): Task {
  const { task: fitted, unfit } = fitOverrides(task, overrides);
  if (unfit.length > 0) throw refuse(`input: ${unfit.join('; ')}`, 'BadInput');
  if (fitted.search.cache === true && seed !== undefined && !check)
    throw refuse(
      'input: search.cache: expected false with --seed, since researches that are compared run what they compare; ' +
        'got true; add --set search.cache=false, or leave --seed out',
      'BadInput',
    );
  return fitted;
}

/** Refuses overrides other than those that a research has: a research keeps the method with which it began. */
export function requireSame(id: string, { asked, has }: { asked: Overrides; has: Overrides }): void {
  for (const [section, values] of Object.entries(asked))
    for (const [key, value] of Object.entries(values ?? {})) {
      const present = has[section as keyof Overrides]?.[key];
      // Not compared as JSON text: Postgres returns the keys of a mapping in another order.
      if (!isDeepStrictEqual(present, value))
        throw refuse(
          `input: ${section}.${key}: expected ` +
            `${present === undefined ? "the task's value" : JSON.stringify(present)}, which research ${id} has; ` +
            `got ${JSON.stringify(value)}; leave it out, or start the research under another workflow id (--id)`,
          'OtherSettings',
        );
    }
}

/** Refuses another seed root than a research has: a research keeps the seeds with which it began. */
export function requireSameSeed({ id, seedRoot }: { id: string; seedRoot: string | null }, asked?: string): void {
  const has = seedRoot ?? id;
  if (asked !== undefined && asked !== has)
    throw refuse(
      `input: seed: expected ${JSON.stringify(has)}, which research ${id} has; got ${JSON.stringify(asked)}; ` +
        'leave it out, or start the research under another workflow id (--id)',
      'OtherSettings',
    );
}

/** The task of a research that begins, or whose task changes, with the defaults that are stored with the research. */
export function begunTask({ task, proposer, before }: { task: Task; proposer: string; before?: Search }): Task {
  const search = { ...task.search, proposer: choiceFor(proposer, task.search) as Search['proposer'] };
  return { ...task, search: begunSearch(search, { knobs: task.knobs, ...(before && { before }) }) };
}

/** The settings of a research in the form in which they are stored beside its task version, and their hash. */
export function recordOf(
  sha256: (text: string) => string,
  { task, proposer }: { task: Task; proposer: string },
): { settings: Settings; settingsHash: string } {
  const { search, ...rest } = settingsOf(task);
  const settings = {
    ...rest,
    search: { ...search, proposer: choiceFor(proposer, search) as Settings['search']['proposer'] },
  };
  return { settings, settingsHash: sha256(JSON.stringify(settings)) };
}

/**
 * The gate's configuration for a research with this budget: by its task, or, with `check`, for a research that only
 * checks the task or evaluates a policy on it. An evaluation has the task's baseline.
 */
export function gateConfigOf(task: Task, budget: Budget, check: Check = false): GateConfig {
  const measuresOnly = check === 'evaluation';
  const keepOfCheck = check && !measuresOnly ? KEEP_OF_CHECKS[check === true ? 'once' : check] : null;
  const { policy, baselineRuns } = keepOfCheck ?? task.keep;
  return {
    policy,
    direction: task.metric.direction,
    minDelta: task.metric.minDelta,
    falseKeepsPer200: task.keep.falseKeepsPer200,
    ...(baselineRuns === undefined ? defaultBaselineRuns(policy, budget.trials) : { baselineRuns }),
    repeats: check ? 1 : task.repeats,
    followsLead: !check && parentRuleOf(task.search.parent).method.followsLead,
    ...(measuresOnly ? { measuresOnly } : {}),
  };
}

/**
 * The window of a research. For a policy that learns, `auto` holds all samples of its batches: its server draws them
 * together.
 */
export function windowFor({ search }: Task): 'auto' | number {
  const plan = updatePlanIn(search);
  return search.window === 'auto' && plan !== null
    ? Math.min(LARGEST_WINDOW, plan.batch * (1 + plan.staleness))
    : search.window;
}
