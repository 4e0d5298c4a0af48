import { describe, expect, it } from 'vitest';
import { fitOverrides, settingsOf, shownWithSettings, withSettings } from '../../../domain/task/overrides.ts';
import { UnknownMethod } from '../../../domain/method/unknown-method.ts';
import { TASK } from '../../cli/support/lineage.ts';
import { Task } from '../../../domain/task/task.ts';

describe('overrides of a research', () => {
  it('replace single values of the task, and change nothing else', () => {
    const { task, unfit } = fitOverrides(TASK, { search: { parent: 'best', window: 3 }, keep: { policy: 'strict' } });
    expect(unfit).toEqual([]);
    expect(task.search).toEqual({ ...TASK.search, parent: 'best', window: 3 });
    expect(task.keep).toEqual({ ...TASK.keep, policy: 'strict' });
    expect({ ...task, search: TASK.search, keep: TASK.keep }).toEqual(TASK);
  });

  it('of a part of a mapping keep the rest of it', () => {
    const { task } = fitOverrides(TASK, { abort: { audit: { first: 3 } } });
    expect(task.abort.audit).toEqual({ ...TASK.abort.audit, first: 3 });
  });

  it('of a setting keep a method that is given by its name alone', () => {
    const task = Task.parse({ ...TASK, search: { parent: 'islands' } });
    const { task: set, unfit } = fitOverrides(task, { search: { parent: { count: 2 } } });
    expect(unfit).toEqual([]);
    expect(set.search.parent).toMatchObject({ name: 'islands', count: 2 });
  });

  it('that name a method replace its settings as a whole', () => {
    const knobs = [
      {
        file: 'train.py',
        name: 'LR',
        type: 'float' as const,
        range: [0, 1] as [number, number],
        scale: 'linear' as const,
      },
    ];
    const { task } = fitOverrides({ ...TASK, knobs }, { search: { proposer: { name: 'random' } } });
    expect(task.search.proposer).toEqual({ name: 'random' });
  });

  it.each([
    [
      { search: { parent: 'bset' } },
      /^search\.parent: expected one of original, .* or a mapping with name, got the text "bset"; .* mean best\?$/,
    ],
    [{ search: { parent: { name: 'bset' } } }, /^search\.parent\.name: .*; did you mean best\?$/],
    [
      { search: { parnet: 'best' } },
      /^search\.parnet: the key is not known; expected one of .*parent.*; did you mean parent\?$/,
    ],
    [{ keep: { falseKeepsPer200: 2 } }, /^keep\.falseKeepsPer200: expected /],
  ])('that no task accepts are left out and reported: %j', (overrides, words) => {
    const { task, unfit } = fitOverrides(TASK, overrides);
    expect(task).toEqual(TASK);
    expect(unfit).toEqual([expect.stringMatching(words)]);
  });

  it('that contradict this task are left out and reported, and the others stay', () => {
    const { progress, ...rest } = TASK;
    void progress;
    const { task, unfit } = fitOverrides(
      { ...rest, knobs: [] },
      { search: { abort: 'median', parent: 'best', proposer: 'random' } },
    );
    expect(unfit).toEqual([expect.stringMatching(/^search\.abort: /), expect.stringMatching(/^search\.proposer: /)]);
    expect(task.search).toEqual({ ...TASK.search, parent: 'best' });
  });

  it.each([
    [{ keep: { baselineRuns: 1, policy: 'strict' } }, { ...TASK.keep, policy: 'noise-gated' as const }],
    [
      { keep: { policy: 'noise-gated', baselineRuns: 10 } },
      { ...TASK.keep, policy: 'strict' as const, baselineRuns: 1 },
    ],
  ])('that fit only together fit in whatever order they come: %j', (overrides, keep) => {
    const { task, unfit } = fitOverrides({ ...TASK, keep }, overrides);
    expect([unfit, task.keep]).toEqual([[], expect.objectContaining(overrides.keep)]);
  });

  it('that fit only together fit even beside one that does not', () => {
    const { task, unfit } = fitOverrides(TASK, {
      search: { parent: 'nowhere' },
      keep: { baselineRuns: 1, policy: 'strict' },
    });
    expect(unfit).toEqual([expect.stringMatching(/^search\.parent: /)]);
    expect(task.keep).toMatchObject({ baselineRuns: 1, policy: 'strict' });
  });

  it('that are empty leave the task unchanged', () => expect(fitOverrides(TASK, {}).task).toEqual(TASK));
});

describe('the recorded settings of a research', () => {
  it('replace those of its task, newer keys with their defaults', () => {
    const { search, ...rest } = settingsOf(fitOverrides(TASK, { search: { parent: 'best' } }).task);
    const { history, ...older } = search;
    void history;
    const recorded = JSON.parse(JSON.stringify({ ...rest, search: older })) as typeof rest & { search: typeof search };
    expect(withSettings(TASK, recorded)).toEqual({ ...TASK, search: { ...TASK.search, parent: 'best' } });
  });

  it('are those of the task if Perpetua 0.1 started the research', () => expect(withSettings(TASK, null)).toBe(TASK));

  it.each([
    [
      { search: { ...TASK.search, parent: 'from-the-future' } },
      'search.parent: this version does not know from-the-future; it knows original',
    ],
    [{ search: { ...TASK.search, operator: 'crossover' } }, 'search.operator: this version does not know '],
    [{ search: { ...TASK.search, history: { last: 20 } } }, 'search.history: this version does not know '],
    [{ keep: { ...TASK.keep, doubt: 2 } }, 'keep.doubt: this version does not know '],
  ])('of a newer version stop the work, and are shown unchanged: %j', (newer, words) => {
    const recorded = { ...settingsOf(TASK), ...newer } as ReturnType<typeof settingsOf>;
    expect(() => withSettings(TASK, recorded)).toThrow(UnknownMethod);
    expect(() => withSettings(TASK, recorded)).toThrow(words);
    expect(shownWithSettings(TASK, recorded)).toEqual({ ...TASK, ...recorded });
  });
});
