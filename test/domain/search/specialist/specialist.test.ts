import { describe, expect, test } from 'vitest';
import { armKey, type Credit } from '../../../../domain/search/mixture/arm.ts';
import { sampleThompson } from '../../../../domain/search/mixture/thompson.ts';
import { specialistPart } from '../../../../domain/search/specialist/part.ts';
import { outsideOf, Specialist } from '../../../../domain/search/specialist/specialist.ts';
import { specialistProblems } from '../../../../domain/search/specialist/specialist-problems.ts';
import type { PromptInput } from '../../../../domain/prompt/prompt-input.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { Task } from '../../../../domain/task/task.ts';
import { TASK } from '../../../cli/support/lineage.ts';

const architecture = Specialist.parse({ name: 'architecture', owns: ['model.py', 'layers/**'], leaves: 'the data' });

describe('a specialist', () => {
  test('owns changed, new and deleted files by its globs, and no others', () => {
    const before = { 'model.py': 'a', 'data.py': 'b', 'layers/old.py': 'c', 'same.py': 'd' };
    const after = { 'model.py': 'x', 'data.py': 'y', 'layers/deep/new.py': 'z', 'same.py': 'd', 'new.py': 'e' };
    expect(outsideOf(architecture, before, after)).toEqual(['data.py', 'new.py']);
    expect(outsideOf(Specialist.parse({ name: 'all' }), before, after)).toEqual([]);
  });

  test('has its files, what it leaves to others and its preamble in the prompt', () => {
    const specialist = { ...architecture, preamble: 'Change shapes.\n' };
    const input = { specialist, files: { 'data.py': '', 'model.py': '' } } as unknown as PromptInput;
    const text = specialistPart.render(input, 2000);
    expect(text).toContain('You are "architecture", one of several proposers');
    expect(text).toContain('You own these files: model.py.\n');
    expect(text).toContain('You leave to others: the data\n\nChange shapes.\n');
    expect(specialistPart.render(input, 100).length).toBeLessThanOrEqual(100);
    expect(specialistPart.applies({ files: {} } as unknown as PromptInput)).toBe(false);
  });

  test('is an arm by its name, whatever its preamble says', () => {
    const arm = (preamble: string) => armKey({ proposer: { name: 'llm', specialist: { ...architecture, preamble } } });
    expect(arm('one')).toBe('llm as architecture');
    expect(arm('two')).toBe(arm('one'));
  });
});

describe('the specialists of a task', () => {
  const task = (specialists: object[]) =>
    Task.parse({
      ...TASK,
      search: {
        proposer: { name: 'mix', arms: specialists.map((specialist) => ({ proposer: { name: 'llm', specialist } })) },
      },
    });

  test('have names of their own, and a mutable file each', () => {
    const owns = ['train.mjs'];
    expect(specialistProblems(task([{ name: 'a', owns }, { name: 'b' }]), ['train.mjs'])).toEqual([]);
    expect(specialistProblems(task([{ name: 'b' }, { name: 'a', owns: ['*.py'] }]), ['train.mjs'])).toMatchObject([
      {
        path: ['search', 'proposer', 'arms', 1, 'proposer', 'specialist', 'owns'],
        got: expect.stringContaining('*.py') as string,
      },
    ]);
    expect(() => task([{ name: 'a', owns }, { name: 'a' }])).toThrow('an arm that differs from arms[0]');
  });

  test('of whom one was rejected 20 times: it gets less than a tenth of the later trials', () => {
    const usual: Credit = { chosen: 20, trials: 20, scored: 20, reward: 10, seconds: 200, usd: 1 };
    const blocked: Credit = { ...usual, scored: 0, reward: 0, seconds: 0, usd: 0 };
    const random = createRandom(7);
    for (const cost of ['seconds', 'usd', 'none'] as const) {
      const credits = [usual, blocked, usual, usual, usual];
      const chosen = Array.from({ length: 2000 }, () => sampleThompson(credits, { random, cost }));
      expect(chosen.filter((index) => index === 1).length).toBeLessThan(200);
      expect(chosen.filter((index) => index === 1).length).toBeGreaterThan(0);
    }
  });
});
