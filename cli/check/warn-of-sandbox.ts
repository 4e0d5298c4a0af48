import { hasModel } from '../../config/has-model.ts';
import { findProposer } from '../../domain/search/proposer/find-proposer.ts';
import { factsOf } from '../../domain/search/proposer/makers.ts';
import { proposerOf } from '../../domain/search/proposer/table.ts';
import { hasTrainer } from '../../infra/trainer/has-trainer.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';
import type { HostProtections } from './protections.ts';

/**
 * That `start` would refuse a task where its check ran: the unmodified workspace is its author's own, what a model writes gets
 * a sandbox or nothing.
 */
export function warnOfSandbox(
  io: Io,
  { loaded, protections: { protections } }: { loaded: LoadedTask; protections: HostProtections },
): string[] {
  const { task, positionOf: placeOf } = loaded;
  if (protections === null || protections.network || task.run.sandbox !== undefined) return [];
  const config = configOf(io);
  const { chosen } = findProposer(task, { model: hasModel(config), policy: hasTrainer(config) });
  if (chosen === null) return [];
  if (factsOf(chosen).writes === 'knobs') return [];
  const { name } = proposerOf(chosen);
  const place = placeOf(['search', 'proposer']) ?? placeOf(['run']);
  return [
    `${place === null ? '' : `${place} `}\`start\` would refuse it: ${name} writes code, which gets run.sandbox: required, and that cannot be had here; ` +
      'run.sandbox: preferred accepts runs without one, whose trials are untrusted',
  ];
}
