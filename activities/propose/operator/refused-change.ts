import { structureContent } from '../../../domain/edit/structure.ts';
import { operatorOf } from '../../../domain/search/operator/table.ts';
import { outsideOf } from '../../../domain/search/specialist/specialist.ts';
import type { Failure } from '../../../domain/trial.ts';
import { listNames } from '../../../domain/text/list-names.ts';
import type { Proposed, ProposeContext } from '../propose-context.ts';
import { specialistOf } from './specialist-of.ts';

/** Why the specialist or the operator of a trial does not allow a proposal; null if they do. */
export function refusedChange(context: ProposeContext, proposed: Pick<Proposed, 'files'>): Failure | null {
  return refusedBySpecialist(context, proposed) ?? refusedByOperator(context, proposed);
}

function refusedBySpecialist(context: ProposeContext, proposed: Pick<Proposed, 'files'>): Failure | null {
  const specialist = specialistOf(context);
  if (specialist === null) return null;
  const outside = outsideOf(specialist, context.files, proposed.files);
  if (outside.length === 0) return null;
  return {
    label: 'outside-specialist',
    message:
      `expected changes of files of the specialist ${specialist.name} alone ` +
      `(${(specialist.owns ?? []).join(', ')}); got changes of ${listNames(outside)}`,
  };
}

function refusedByOperator(
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
