import type { GateConfig } from '../../domain/gate/types.ts';
import { KEEP_OF_CHECKS, KEEPS } from '../../domain/search/keep.ts';
import { parentRuleOf } from '../../domain/search/parent/table.ts';
import type { Task } from '../../domain/task/task.ts';

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
