import { fitOverrides, type Overrides, OverridesArg, type Settings, settingsOf } from '../../domain/task/overrides.ts';
import { choiceFor } from '../../domain/search/proposer/makers.ts';
import type { Task } from '../../domain/task/task.ts';
import { isDeepStrictEqual } from 'node:util';
import { describeIssue } from '../../domain/issue/describe-issue.ts';
import type { GateConfig } from '../../domain/gate/types.ts';
import { KEEP_OF_CHECKS, KEEPS } from '../../domain/search/keep.ts';
import { parentRuleOf } from '../../domain/search/parent/table.ts';
import { updatePlanIn } from '../../domain/search/update/table.ts';
import { LARGEST_WINDOW } from '../../domain/window/largest.ts';
import { refuse } from '../task/require-runnable.ts';

/** Overrides as a person sent them; refuses, with the key's path, what is no section or no mapping. */
export function readOverrides(raw: unknown): Overrides {
  const parsed = OverridesArg.safeParse(raw ?? {});
  if (!parsed.success) throw refuse(`input: ${describeIssue(parsed.error, raw)}`, 'BadInput');
  return parsed.data;
}

/** The task with a new research's overrides; refuses what does not fit it. */
export function requireFit(task: Task, overrides: Overrides): Task {
  const { task: fitted, unfit } = fitOverrides(task, overrides);
  if (unfit.length > 0) throw refuse(`input: ${unfit.join('; ')}`, 'BadInput');
  return fitted;
}

/** A research keeps the method that it began with: refuses overrides other than those that it has. */
export function requireSame(id: string, { asked, has }: { asked: Overrides; has: Overrides }): void {
  for (const [section, values] of Object.entries(asked))
    for (const [key, value] of Object.entries(values ?? {})) {
      const own = has[section as keyof Overrides]?.[key];
      // Postgres gives the keys of a mapping back in another order.
      if (!isDeepStrictEqual(own, value))
        throw refuse(
          `input: ${section}.${key}: research ${id} goes by ${own === undefined ? "its task's value" : JSON.stringify(own)}, came ${JSON.stringify(value)}; leave it out, or start the research under another workflow id`,
          'OtherSettings',
        );
    }
}

/** A research keeps the seeds that it began with: refuses another root than it has. */
export function requireSameSeed({ id, seedRoot }: { id: string; seedRoot: string | null }, asked?: string): void {
  const has = seedRoot ?? id;
  if (asked !== undefined && asked !== has)
    throw refuse(
      `input: seed: the research ${id} has ${JSON.stringify(has)}, came ${JSON.stringify(asked)}; leave it out, or start the research under another workflow id`,
      'OtherSettings',
    );
}

/** The settings that a research goes by, as they are recorded beside its task's version, and their hash. */
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

/** How the gate of a new research decides: by its task, or as one that only checks it. */
export function gateConfigOf(task: Task, check?: boolean | 'attack'): GateConfig {
  const { policy, baselineRuns } = check ? KEEP_OF_CHECKS[check === true ? 'once' : check] : task.keep;
  return {
    policy,
    direction: task.metric.direction,
    minDelta: task.metric.minDelta,
    falseKeepsPer200: task.keep.falseKeepsPer200,
    baselineRuns: baselineRuns ?? KEEPS[policy].baselineRuns,
    repeats: check ? 1 : task.repeats,
    followsLead: !check && parentRuleOf(task.search.parent).method.followsLead,
  };
}

/** A policy that learns is asked for all samples of its batches at once, which its server draws together. */
export function windowFor({ search }: Task): 'auto' | number {
  const plan = updatePlanIn(search);
  return search.window === 'auto' && plan !== null
    ? Math.min(LARGEST_WINDOW, plan.batch * (1 + plan.staleness))
    : search.window;
}
