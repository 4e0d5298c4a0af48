import { structureContent } from '../../../domain/edit/structure.ts';
import { operatorOf } from '../../../domain/search/operator/table.ts';
import type { Failure } from '../../../domain/trial.ts';
import type { Proposed, ProposeContext } from '../propose-context.ts';

/** Why the operator of a trial does not allow a proposal; null if it does. */
export function refusedChange(
  { trial, version, files }: ProposeContext,
  proposed: Pick<Proposed, 'files'>,
): Failure | null {
  if (trial.operator === null) return null;
  const { name, operator } = operatorOf(trial.operator);
  if (operator.changes !== 'knobs') return null;
  const { knobs } = version.task;
  if (structureContent(knobs, files) === structureContent(knobs, proposed.files)) return null;
  const names = knobs.map((knob) => knob.name).join(', ');
  return {
    label: 'edit-outside-mutable',
    message: `expected other values of knobs alone (${names}), since the operator is ${name}; got other changes`,
  };
}
