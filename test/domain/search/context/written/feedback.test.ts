import { expect, test } from 'vitest';
import type { ShownFeedback } from '../../../../../domain/prompt/search-facts.ts';
import type { PromptInput } from '../../../../../domain/prompt/prompt-input.ts';
import { feedback } from '../../../../../domain/search/context/written/feedback.ts';

const bare = { task: { metric: { name: 'bpc' } } } as PromptInput;
const of = (n: number, count: number, text: string): ShownFeedback => ({
  n,
  isParent: n === 7,
  omitted: 0,
  cases: Array.from({ length: count }, (_, i) => ({ name: `case ${i}`, value: i / 10, text })),
});
const render = (all: ShownFeedback[], room: number): string => feedback.render({ ...bare, feedback: all }, room);

test('cases have a name, a number and a text, those of the files first', () => {
  expect(render([of(9, 1, 'too slow'), of(7, 2, 'wrong\nsign')], 5000)).toBe(`## What the evaluator says case by case

- trial 7, which ran the files above
\`\`\`said
case 0: 0 · wrong sign
case 1: 0.1 · wrong sign
\`\`\`
- trial 9
\`\`\`said
case 0: 0 · too slow
\`\`\`
`);
});

test('the oldest trials are cut first, then the texts, then the last cases', () => {
  const all = [of(7, 40, 'x'.repeat(500)), of(9, 40, 'y'.repeat(500)), of(8, 40, 'z'.repeat(500))];
  const shapeIn = (room: number) => {
    const text = render(all, room);
    expect(text.length).toBeLessThanOrEqual(room);
    const longest = Math.max(0, ...(text.match(/x+/g) ?? []).map(({ length }) => length));
    return [
      [...text.matchAll(/^- trial (\d)/gm)].map(([, n]) => n).join(''),
      longest,
      text.split('case 39').length - 1,
    ];
  };
  expect(shapeIn(70_000)).toEqual(['798', 500, 3]);
  expect(shapeIn(50_000)).toEqual(['79', 500, 2]);
  expect(shapeIn(25_000)).toEqual(['7', 500, 1]);
  expect(shapeIn(12_000)[0]).toBe('7');
  expect(shapeIn(12_000)[1]).toBeLessThan(500);
  expect(shapeIn(900)).toEqual(['7', 0, 1]);
  expect(shapeIn(400)).toEqual(['7', 0, 0]);
  expect(render(all, 400)).toMatch(/\(… \d+ more\)/);
  expect(render(all, 60)).toBe('');
});
