import { offeredModels } from '../../config/has-model.ts';
import { lacksModelOf } from '../../domain/llm/asked-model.ts';
import { findProposer } from '../../domain/search/proposer/find-proposer.ts';
import { factsOf } from '../../domain/search/proposer/makers.ts';
import { proposerOf } from '../../domain/search/proposer/table.ts';
import { hasOptimizer } from '../../infra/optimizer/optimizer-paths.ts';
import { hasTrainer } from '../../infra/trainer/has-trainer.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';
import type { HostProtections } from './protections.ts';

/**
 * Warns if `start` would refuse a task that `check` ran. The unmodified workspace may run without a sandbox; code that
 * a model writes may not.
 */
export function warnOfSandbox(
  io: Io,
  { loaded, protections: { protections } }: { loaded: LoadedTask; protections: HostProtections },
): string[] {
  const { task, positionOf } = loaded;
  if (protections === null || protections.network || task.run.sandbox !== undefined) return [];
  const config = configOf(io);
  const { chosen } = findProposer(task, {
    model: lacksModelOf(offeredModels(config), task),
    policy: hasTrainer(config),
    optimizer: hasOptimizer(config),
  });
  if (chosen === null) return [];
  if (factsOf(chosen).writes === 'knobs') return [];
  const { name } = proposerOf(chosen);
  const position = positionOf(['search', 'proposer']) ?? positionOf(['run']);
  return [
    `${position === null ? '' : `${position} `}\`start\` would refuse the task: ${name} writes code, ` +
      'which needs run.sandbox: required, and this machine cannot enforce a sandbox. ' +
      'To accept untrusted trials without one, set run.sandbox: preferred',
  ];
}
