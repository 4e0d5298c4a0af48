import { describe, expect, it } from 'vitest';
import { adviseEvaluatorRights } from '../../../domain/tools/evaluator-rights.ts';

const evaluator = { type: 'artefact' as const, command: 'python3 score.py', files: 'evaluator', timeoutSeconds: 60 };

describe('the advice for an evaluator that failed in its sandbox', () => {
  it.each([
    ['urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>', 'network: true'],
    ['OSError: [Errno 101] Network is unreachable', 'network: true'],
    ['Error: connect ENETUNREACH 1.1.1.1:443', 'network: true'],
    ['RuntimeError: Found no NVIDIA driver on your system.', 'gpu: true'],
    ['RuntimeError: No CUDA GPUs are available', 'gpu: true'],
  ])('names the key that it lacks: %s', (log, key) => {
    expect(adviseEvaluatorRights(`Traceback\n${log}\n`, evaluator)).toMatch(new RegExp(`under evaluator:  ${key}$`));
    expect(adviseEvaluatorRights(log, { ...evaluator, network: true, gpu: true })).toBe(null);
  });

  it('says nothing of other failures', () => {
    expect(adviseEvaluatorRights('ValueError: rows do not sum to 1', evaluator)).toBe(null);
    expect(adviseEvaluatorRights('Network is unreachable', { type: 'none' })).toBe(null);
  });
});
