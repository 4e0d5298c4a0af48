import { refuseCode, refuseCodeBesideModel } from '../../domain/artefact/find-code.ts';
import { evaluatorLlmOf } from '../../domain/schema/evaluator.ts';
import type { FailureLabel } from '../../domain/trial.ts';
import type { FileContent } from '../../infra/compute.ts';
import type { ScoreContext, Scored } from './score-context.ts';

/** Rights of an evaluator in one evaluation. */
export interface EvaluatorRights {
  /**
   * `none`: without a sandbox, as an older version of Perpetua ran the evaluator of this research. `required`: an
   * artefact executes code, or the run had a sandbox on this machine.
   */
  sandbox: 'none' | 'required' | undefined;
  /** Artefact that executes code when loaded, in words; null: none, or the evaluator does not execute it. */
  artefactCode: string | null;
}

/** Decides the rights of a trial's evaluator by the content of its artefacts; a failure if it must not run. */
export async function evaluatorRights(
  { deps, trial, run, end, version: { task, hash } }: ScoreContext,
  artefacts: readonly FileContent[],
): Promise<EvaluatorRights | Extract<Scored, { ok: false }>> {
  const { evaluator } = task;
  const { research } = await deps.store.trial.loadTrialAndResearch(trial.id);
  const isOpen = research.openEvaluatorTask === hash;
  const isSafe = evaluator.type === 'none' || evaluator.safeLoad === true;
  const artefactCode = isSafe ? null : await deps.scoring.evaluator.findCode(artefacts);
  if (artefactCode !== null && evaluatorLlmOf(evaluator) !== null)
    return refused(artefactCode, refuseCodeBesideModel(artefactCode));
  if (isOpen) return { sandbox: 'none', artefactCode };
  // Without a sandbox now, the evaluation is repeated: the machine has sandboxes.
  if (end.sandboxed && deps.hosts.isOwnHost(run.host)) return { sandbox: 'required', artefactCode };
  if (artefactCode === null) return { sandbox: undefined, artefactCode };
  if (!(await deps.scoring.evaluator.hasSandbox())) return refused(artefactCode, refuseCode(artefactCode));
  return { sandbox: 'required', artefactCode };
}

const refused = (artefactCode: string, message: string): Extract<Scored, { ok: false }> => ({
  ok: false,
  status: 'crashed',
  failure: { label: 'artefact-executes-code', message },
  artefactCode,
});

/** Failures whose message is Perpetua's own. */
const OWN_MESSAGES: readonly FailureLabel[] = [
  'artefact-executes-code',
  'output-limit',
  'cpu-time',
  'out-of-memory',
  'too-many-processes',
  'disk-limit',
  'evaluator-timeout',
  'evaluator-changed',
];

/**
 * The score of an evaluator that executed an artefact. The artefact's code may have read the labels. The evaluator's
 * messages go into the notes, which no prompt shows.
 */
export function withArtefactCode(scored: Scored, artefactCode: string | null): Scored {
  if (artefactCode === null) return scored;
  if (scored.ok || OWN_MESSAGES.includes(scored.failure.label)) return { ...scored, artefactCode };
  const { label, message } = scored.failure;
  const notes = scored.notes === undefined ? message : `${message}\n${scored.notes}`;
  const shown = `the evaluator gave no score; its messages are in the notes, since ${artefactCode} may execute code`;
  return { ...scored, failure: { label, message: shown }, notes, artefactCode };
}
