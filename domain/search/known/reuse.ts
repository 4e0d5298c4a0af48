import { isCheck } from '../../research/check-id.ts';
import { evaluatorLlmOf } from '../../schema/evaluator.ts';
import type { Task } from '../../task/task.ts';

/** Platform of the runs of a research under its task version. */
export interface Platform {
  hardware: string | null;
  environment: string | null;
  trusted: boolean | null;
}

type Depending = Pick<Task, 'environment' | 'evaluator' | 'run'>;

/**
 * Reason why a task's values depend on more than its version, its Python environment and the hardware; null if they do
 * not, as far as the task says.
 */
export function outsideInfluence({ environment, evaluator, run }: Depending): string | null {
  if (environment === undefined) return 'the task has no environment, so its programs are those of the machine';
  if (evaluator.type === 'none') return 'the task has no evaluator';
  if (run.path.length > 0) return 'run.path names programs of the machine';
  if (run.readable.length > 0) return 'run.readable names folders of the machine';
  if (run.passEnv.length > 0) return 'run.passEnv names variables of the worker';
  if (evaluatorLlmOf(evaluator) !== null) return 'the evaluator asks a model';
  if (evaluator.gpu === true) return "the evaluator uses the GPUs of the worker's machine";
  if ((evaluator.readable ?? []).length > 0) return 'evaluator.readable names folders of the machine';
  return evaluator.network === true ? 'the evaluator uses the network' : null;
}

/** Sentence for a person whose task turns the cache on in vain; null if it may take values. */
export function idleCacheText(task: Depending & Pick<Task, 'search'>): string | null {
  const reason = task.search.cache ? outsideInfluence(task) : null;
  return reason && `search.cache takes no value of other researches: ${reason}`;
}

/**
 * Reason why a research takes no values of others; null if it may. Researches with one root of seeds are compared, so
 * each measures what it compares.
 */
export function researchObstacle({ id, seedRoot }: { id: string; seedRoot: string | null }): string | null {
  if (isCheck(id)) return 'a check measures its own runs';
  return seedRoot !== null && seedRoot !== id ? 'the research began with --seed' : null;
}

/**
 * The platform on which all scored runs of a research ran; null if there is none, if it is not known, or if one of the
 * runs could have written its own score.
 */
export function platformOf(platforms: readonly Platform[]): { hardware: string; environment: string } | null {
  const [first] = platforms;
  if (!first || platforms.length > 1 || first.trusted !== true) return null;
  const { hardware, environment } = first;
  return hardware === null || environment === null ? null : { hardware, environment };
}
