import { describe, expect, it } from 'vitest';
import { fitOverrides, settingsOf, withSettings } from '../../../domain/search/overrides.ts';
import { TASK } from '../../cli/support/lineage.ts';

describe('overrides of a research', () => {
  it('stand in place of single values of the task, and change nothing else', () => {
    const { task, unfit } = fitOverrides(TASK, { search: { parent: 'best', window: 3 }, keep: { policy: 'strict' } });
    expect(unfit).toEqual([]);
    expect(task.search).toEqual({ ...TASK.search, parent: 'best', window: 3 });
    expect(task.keep).toEqual({ ...TASK.keep, policy: 'strict' });
    expect({ ...task, search: TASK.search, keep: TASK.keep }).toEqual(TASK);
  });

  it('of a part of a mapping leave the rest of it', () => {
    const { task } = fitOverrides(TASK, { abort: { audit: { first: 3 } } });
    expect(task.abort.audit).toEqual({ ...TASK.abort.audit, first: 3 });
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
    [{ search: { parent: 'clairvoyant' } }, /^search\.parent: expected .*original/],
    [{ search: { patience: 3 } }, /^search\.patience/],
    [{ keep: { falseKeepsPer200: 2 } }, /^keep\.falseKeepsPer200: expected /],
  ])('that no task takes are left out and told: %j', (overrides, words) => {
    const { task, unfit } = fitOverrides(TASK, overrides);
    expect(task).toEqual(TASK);
    expect(unfit).toEqual([expect.stringMatching(words)]);
  });

  it('that contradict this task are left out and told, and the others stay', () => {
    const { progress, ...rest } = TASK;
    void progress;
    const { task, unfit } = fitOverrides(
      { ...rest, knobs: [] },
      { search: { abort: 'median', parent: 'best', proposer: 'random' } },
    );
    expect(unfit).toEqual([expect.stringMatching(/^search\.abort: /), expect.stringMatching(/^search\.proposer: /)]);
    expect(task.search).toEqual({ ...TASK.search, parent: 'best' });
  });

  it('where there are none leave the task as it is', () => expect(fitOverrides(TASK, {}).task).toEqual(TASK));
});

describe('the settings that were recorded for a research', () => {
  it('stand in place of those of its task, newer keys with their defaults', () => {
    const { search, ...rest } = settingsOf(fitOverrides(TASK, { search: { parent: 'best' } }).task);
    const { history, ...older } = search;
    void history;
    const recorded = JSON.parse(JSON.stringify({ ...rest, search: older })) as typeof rest & { search: typeof search };
    expect(withSettings(TASK, recorded)).toEqual({ ...TASK, search: { ...TASK.search, parent: 'best' } });
  });

  it('are those of the task where 0.1 began it', () => expect(withSettings(TASK, null)).toBe(TASK));

  it('of a newer version are kept, never replaced by the values of the task', () => {
    const recorded = { ...settingsOf(TASK), search: { ...TASK.search, parent: 'from-the-future' as 'best' } };
    expect(withSettings(TASK, recorded).search.parent).toBe('from-the-future');
  });
});
