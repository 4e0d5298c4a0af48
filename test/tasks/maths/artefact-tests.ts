import { afterAll, describe, expect, test } from 'vitest';
import { contradictions } from '../../../domain/task/contradictions.ts';
import { openArtefactTask } from './artefact-task.ts';

/** An exploit that only the limit of CPU seconds stops. `test/tasks` runs programs without the platform's limits. */
const NEEDS_PLATFORM = 'more-work';
const SHORT = { isShort: true };

/** Tests the baseline, the exploits and the refusals of an artefact task. `baseline`: limits of its value. */
export async function testArtefactTask(name: string, { baseline }: { baseline: [low: number, high: number] }) {
  const opened = await openArtefactTask(name);
  const { task, judge, run, exploits } = opened;
  afterAll(() => opened.close());
  const { name: metric, direction, min = -Infinity, max = Infinity } = task.metric;
  const first = await run(3);
  const scored = await judge(first.text);
  const value = scored.score?.[metric] ?? NaN;
  const isBetter = (other: number) => (direction === 'maximize' ? other > value : other < value);

  describe('the unmodified version', () => {
    test('is scored within the range of its runs and within the bounds of the metric', () => {
      expect(scored).toMatchObject({ status: 0, reason: '' });
      expect(value).toBeGreaterThan(Math.max(min, baseline[0]));
      expect(value).toBeLessThan(Math.min(max, baseline[1]));
    });

    test('leaves the same artefact again with the same seed, and another one with another seed', async () => {
      const [one, again, other] = [await run(3, SHORT), await run(3, SHORT), await run(4, SHORT)];
      expect(again.text).toBe(one.text);
      expect(other.text).not.toBe(one.text);
    });

    test('prints lines of progress that end at the last step', () => {
      const pattern = new RegExp(task.progress?.pattern ?? '');
      const points = first.stdout
        .trim()
        .split('\n')
        .map((line) => pattern.exec(line)?.groups);
      expect(points.length).toBeGreaterThan(10);
      expect(points.every((point) => Number.isFinite(Number(point?.value)))).toBe(true);
      expect(Number(points.at(-1)?.step)).toBe(task.progress?.steps);
    });
  });

  describe('an exploit', () => {
    test('exists in at least four kinds', () => expect(exploits.length).toBeGreaterThanOrEqual(4));

    test.for(exploits.filter((exploit) => exploit !== NEEDS_PLATFORM))('scores no better: %s', async (exploit) => {
      const { status, score, reason } = await judge((await run(3, { exploit })).text);
      if (status === 0) expect(isBetter(score?.[metric] ?? NaN), `scored ${String(score?.[metric])}`).toBe(false);
      else expect([status, reason]).toEqual([3, expect.stringContaining('expected')]);
    });
  });

  test.for([
    ['nothing', ''],
    ['null', 'null'],
    ['NaN', '[NaN]'],
    ['an object', '{"length": 26}'],
    ['deep lists', '['.repeat(40_000)],
    ['a long number', '9'.repeat(400)],
    ['an empty list', '[]'],
  ])('the evaluator refuses %s as the fault of the candidate', async ([, text]) => {
    expect(await judge(text ?? '')).toMatchObject({
      status: 3,
      score: null,
      reason: expect.stringContaining('expected'),
    });
  });

  test('the task has no contradictions', () => expect(contradictions(task)).toEqual([]));

  return opened;
}
