import { describe, expect, it } from 'vitest';
import { begunSearch } from '../../../domain/search/begun-search.ts';
import { Search } from '../../../domain/search/schema.ts';
import type { Knob } from '../../../domain/knob/knob.ts';

const lr: Knob = { file: 'knobs.mjs', name: 'lr', type: 'float', range: [1e-4, 10], scale: 'log' };
const momentum: Knob = { ...lr, name: 'momentum' };
const learning = (proposer: unknown = 'policy', update: unknown = 'grpo'): Search => Search.parse({ proposer, update });
const stopOf = ({ proposer }: Search): unknown => (proposer as { stop?: unknown }).stop;
const tokensOf = ({ update }: Search): unknown => (update as { tokens?: unknown }).tokens;

describe('a research that begins', () => {
  it('ends answers with one knob at a newline, and counts the tokens of the answer', () => {
    const search = begunSearch(learning(), { knobs: [lr] });
    expect(search.proposer).toEqual({ name: 'policy', stop: ['\n'] });
    expect(search.update).toEqual({ name: 'grpo', tokens: 'answer' });
    expect(Search.parse(search)).toMatchObject({ proposer: { stop: ['\n'] }, update: { tokens: 'answer' } });
  });

  it('has no stop text if each of several knobs has its line, or if answers are edits', () => {
    expect(stopOf(begunSearch(learning(), { knobs: [lr, momentum] }))).toEqual([]);
    expect(stopOf(begunSearch(learning({ name: 'policy', answers: 'edits' }), { knobs: [lr] }))).toEqual([]);
  });

  it('has the values of its task', () => {
    const search = learning({ name: 'policy', stop: ['.'] }, { name: 'ppo', tokens: 'all' });
    const begun = begunSearch(search, { knobs: [lr] });
    expect([stopOf(begun), tokensOf(begun)]).toEqual([['.'], 'all']);
  });

  it('is as its task says if nothing is sampled', () => {
    const search = learning('random', 'none');
    expect(begunSearch(search, { knobs: [lr] })).toEqual({ ...search, rerun: 1 });
  });
});

describe('a research whose task changes', () => {
  const changed = (before: Search, search = learning()): Search => begunSearch(search, { knobs: [lr], before });

  it('keeps what 0.2 began: no stop text, and all tokens count', () => {
    const after = changed(learning());
    expect([stopOf(after), tokensOf(after)]).toEqual([[], 'all']);
  });

  it('keeps what it began with', () => {
    const before = learning({ name: 'policy', stop: ['.'] }, { name: 'grpo', tokens: 'answer' });
    expect([stopOf(changed(before)), tokensOf(changed(before))]).toEqual([['.'], 'answer']);
  });

  it('ends no answer before its second line if it gets more knobs', () => {
    const before = learning({ name: 'policy', stop: ['\n', '.'] });
    expect(stopOf(begunSearch(learning(), { knobs: [lr, momentum], before }))).toEqual(['.']);
  });

  it('has the values that the changed task names, and the defaults for a policy that is new to it', () => {
    const named = changed(learning(), learning({ name: 'policy', stop: ['.'] }, { name: 'grpo', tokens: 'answer' }));
    expect([stopOf(named), tokensOf(named)]).toEqual([['.'], 'answer']);
    const fresh = changed(learning('random', 'none'));
    expect([stopOf(fresh), tokensOf(fresh)]).toEqual([['\n'], 'answer']);
  });
});
