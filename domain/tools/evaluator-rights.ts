import type { Task } from '../task/task.ts';

const NO_NETWORK =
  /network is unreachable|ENETUNREACH|EAI_AGAIN|getaddrinfo|name resolution|Could not resolve host|EADDRNOTAVAIL/i;
const NO_GPU =
  /no nvidia driver|no cuda gpus|cuda (?:is not|not) available|CUDA_ERROR_NO_DEVICE|no cuda-capable device/i;

/** Advice for an evaluator that failed, by its log, for lack of a right that its task can ask for; null: none. */
export function adviseEvaluatorRights(log: string, evaluator: Task['evaluator']): string | null {
  if (evaluator.type === 'none') return null;
  if (evaluator.network !== true && NO_NETWORK.test(log))
    return 'The evaluator has no network. If it needs one, add to task.yaml, under evaluator:  network: true';
  if (evaluator.gpu !== true && NO_GPU.test(log))
    return 'The evaluator sees no GPU. If it needs one, add to task.yaml, under evaluator:  gpu: true';
  return null;
}
