import { describe, expect, it } from 'vitest';
import { readKnobAnswer } from '../../../domain/edit/knob-answer.ts';
import { type KnobPrompt, knobText } from '../../../domain/prompt/knob-text.ts';
import type { HistoryEntry } from '../../../domain/prompt/prompt-input.ts';
import type { Knob } from '../../../domain/knob/knob.ts';

const file = 'knobs.mjs';
const lr: Knob = { file, name: 'lr', type: 'float', range: [1e-4, 10], scale: 'log' };
const steps: Knob = { file, name: 'steps', type: 'int', range: [1, 500], scale: 'linear' };
const kind: Knob = { file, name: 'kind', type: 'choice', values: ['sgd', 'adam'] };
const INPUT: KnobPrompt = {
  task: { description: 'Train a network.', metric: { name: 'loss', direction: 'minimize' } },
  prompt: null,
  knobs: [lr],
  history: [],
  notes: [],
};
const entry = (n: number, change: Partial<HistoryEntry> = {}): HistoryEntry => ({
  n,
  hypothesis: `lr 1e-2 → 0.${n} (${file})`,
  status: 'completed',
  failure: null,
  value: n / 10,
  verdict: 'discard',
  reason: '',
  ...change,
});

const textOf = (change: Partial<KnobPrompt>): string => knobText({ ...INPUT, ...change }).text;

describe('knobText', () => {
  it('ends with the name that the model continues, with which the answer begins', () => {
    const { text, start } = knobText({ ...INPUT, prompt: 'Choose a learning rate.\n' });
    expect(text).toBe('Choose a learning rate.\n\nlr =');
    const answer = readKnobAnswer(`${start} 0.2\n\nThis is`, { knobs: [lr], files: { [file]: 'lr = 0.1\n' } });
    expect(answer).toMatchObject({ ok: true, hypothesis: 'lr 0.1 → 0.2 (knobs.mjs)' });
  });

  it('names all of several knobs, with results and advice', () => {
    const change = { prompt: 'Choose.', knobs: [lr, steps], history: [entry(1)], notes: ['be bold'] };
    const { text, start } = knobText({ ...INPUT, ...change });
    expect(text).toBe(
      'Choose.\n\nTried before:\n- lr 1e-2 → 0.1 (knobs.mjs): loss 0.1\n\nAdvice:\n- be bold\n\n' +
        'One line for each of lr, steps, as name = value:\n\nlr =',
    );
    const files = { [file]: 'lr = 0.1\nsteps = 40\n' };
    expect(readKnobAnswer(`${start} 0.2\nsteps = 7`, { knobs: [lr, steps], files })).toMatchObject({ ok: true });
  });

  it('describes knobs by their ranges if the task has no text', () => {
    expect(textOf({ knobs: [lr, steps, kind] })).toBe(
      'Train a network.\n\nChoose values. The score is loss, lower is better.\n\n' +
        '- lr: a number from 0.0001 to 10, on a logarithmic scale\n' +
        '- steps: a whole number from 1 to 500\n- kind: one of sgd, adam\n\n' +
        'One line for each of lr, steps, kind, as name = value:\n\nlr =',
    );
  });

  it('lists earlier trials, oldest first, with their results, and advice', () => {
    const failed = { label: 'exit-code', message: 'the loss is not finite' } as const;
    const history = [entry(1), entry(2, { status: 'crashed', failure: failed, value: null })];
    expect(textOf({ prompt: 'Choose.', history, notes: ['try\nmore'] })).toBe(
      'Choose.\n\nTried before:\n- lr 1e-2 → 0.1 (knobs.mjs): loss 0.1\n' +
        '- lr 1e-2 → 0.2 (knobs.mjs): the program ended with an error\n\nAdvice:\n- try more\n\nlr =',
    );
  });

  it('keeps the newest results if there are too many, and always its end', () => {
    const history = Array.from({ length: 200 }, (_, i) => entry(i));
    const notes = Array.from({ length: 99 }, () => 'y'.repeat(999));
    const text = textOf({ prompt: 'x'.repeat(100_000), history, notes });
    expect(text).toContain('lr 1e-2 → 0.199');
    expect(text).not.toContain('lr 1e-2 → 0.5 ');
    expect(text).toMatch(/\nlr =$/);
    expect(text.length).toBeLessThan(25_000);
  });
});
