import { describe, expect, test } from 'vitest';
import {
  idleCacheText,
  outsideInfluence,
  platformOf,
  researchObstacle,
} from '../../../../domain/search/known/reuse.ts';
import { Task } from '../../../../domain/task/task.ts';
import { TASK } from '../../../cli/support/lineage.ts';

const LOCKED = Task.parse({ ...TASK, environment: { python: '3.12', lock: 'requirements.lock' } });
const PLATFORM = { hardware: 'CPU X, 4 cores', environment: 'env1', trusted: true };

describe('values of other researches', () => {
  test('depend on nothing but the version of a task with a locked environment', () => {
    expect(outsideInfluence(LOCKED)).toBeNull();
  });

  test.each<[string, object]>([
    ['has no environment', { environment: undefined }],
    ['run.path', { run: { ...LOCKED.run, path: ['/opt/bin'] } }],
    ['run.readable', { run: { ...LOCKED.run, readable: ['/data'] } }],
    ['evaluator.readable', { evaluator: { ...LOCKED.evaluator, readable: ['/data'] } }],
    ['uses the network', { evaluator: { ...LOCKED.evaluator, network: true } }],
    ['uses the GPUs', { evaluator: { ...LOCKED.evaluator, gpu: true } }],
    ['asks a model', { evaluator: { ...LOCKED.evaluator, llm: true } }],
    ['asks a model', { evaluator: { ...LOCKED.evaluator, llm: { calls: 3, tokens: 100 } } }],
    ['run.passEnv', { run: { ...LOCKED.run, passEnv: ['HF_TOKEN'] } }],
    ['has no evaluator', { evaluator: { type: 'none' } }],
  ])('depend on more if the task %s', (words, more) => {
    expect(outsideInfluence({ ...LOCKED, ...more })).toContain(words);
  });

  test('are not taken in vain without a word', () => {
    const cached = (task: Task) => idleCacheText({ ...task, search: { ...task.search, cache: true } });
    expect([idleCacheText(Task.parse(TASK)), cached(LOCKED)]).toEqual([null, null]);
    expect(cached(Task.parse(TASK))).toMatch(/^search\.cache takes no value of other researches: .* no environment/);
  });

  test.each<[string, string | null, RegExp | null]>([
    ['toy', 'toy', null],
    ['toy', null, null],
    ['toy', 'root', /--seed/],
    ['check/toy/1', 'check/toy/1', /check/],
    ['attack/toy/1', 'attack/toy/1', /check/],
    ['eval/toy/k', 'eval/toy/k', /check/],
  ])('are taken by the research %s with the root %s: %s', (id, seedRoot, obstacle) => {
    const found = researchObstacle({ id, seedRoot });
    if (obstacle === null) expect(found).toBeNull();
    else expect(found).toMatch(obstacle);
  });

  test('need one known platform, on which no run could write its own score', () => {
    expect(platformOf([PLATFORM])).toEqual({ hardware: PLATFORM.hardware, environment: PLATFORM.environment });
    const others = [{ hardware: null }, { environment: null }, { trusted: false }, { trusted: null }];
    for (const other of others) {
      expect(platformOf([{ ...PLATFORM, ...other }])).toBeNull();
      expect(platformOf([PLATFORM, { ...PLATFORM, ...other }])).toBeNull();
    }
    expect(platformOf([])).toBeNull();
    expect(platformOf([PLATFORM, { ...PLATFORM, hardware: 'CPU Y, 4 cores' }])).toBeNull();
  });
});
