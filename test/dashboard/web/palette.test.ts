import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OUTCOMES } from '../../../dashboard/api/outcomes.ts';
import { OUTCOME_SHAPES } from '../../../dashboard/web/parts/outcome/outcome-look.ts';
import { contrast, distance, linearOf, SIGHTS } from './support/colour.ts';

const [LIGHT = '', DARK = ''] = readFileSync('dashboard/web/style/tokens.css', 'utf8').split("[data-theme='dark']");
const tokensOf = (css: string): Record<string, string> =>
  Object.fromEntries(
    [...css.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']): [string, string] => [
      name,
      value,
    ]),
  );
const THEMES = Object.entries({ light: tokensOf(LIGHT), dark: tokensOf(DARK) });

/** Least distance between the colours of two outcomes, by kind of sight. */
const LEAST = { normal: 11, deuteranopia: 5.5, achromatopsia: 5 };

test.each(
  THEMES.flatMap(([theme, tokens]) =>
    Object.entries(SIGHTS).map(([sight, see]) => ({ theme, tokens, sight: sight as keyof typeof LEAST, see })),
  ),
)('outcomes have colours that $sight sight can distinguish in the $theme theme', ({ tokens, sight, see }) => {
  const colours = OUTCOMES.map((outcome) => see(linearOf(tokens[outcome] ?? '')));
  const distances = colours.flatMap((first, index) => colours.slice(index + 1).map((other) => distance(first, other)));
  expect(Math.min(...distances)).toBeGreaterThanOrEqual(LEAST[sight]);
});

test('no two outcomes have the same shape', () => {
  const shapes = OUTCOMES.map((outcome) => JSON.stringify(OUTCOME_SHAPES[outcome]));
  expect(new Set(shapes).size).toBe(OUTCOMES.length);
});

const GROUNDS = ['ground', 'surface', 'sunken', 'accent-soft', 'warn-soft', 'bad-soft', 'good-soft'];

test.each(THEMES)('every ink can be read on every ground in the %s theme', (_, tokens) => {
  const inks = ['ink', 'ink-2', 'accent', 'warn', 'bad', 'good'];
  const poor = inks.flatMap((ink) =>
    GROUNDS.filter((ground) => !(contrast(tokens[ink] ?? '', tokens[ground] ?? '') >= 4.5)).map(
      (ground) => `${ink} on ${ground}`,
    ),
  );
  expect(poor).toEqual([]);
});

test.each(THEMES)('code can be read on every mark of a diff in the %s theme', (_, tokens) => {
  for (const ground of ['added', 'added-word', 'removed', 'removed-word'])
    expect(contrast(tokens['ink'] ?? '', tokens[ground] ?? '')).toBeGreaterThanOrEqual(4.5);
});

test.each(THEMES)('outcomes and lines stand out from the panel in the %s theme', (_, tokens) => {
  for (const mark of [...OUTCOMES, 'claim', 'accent', 'ink-2'])
    expect([mark, contrast(tokens[mark] ?? '', tokens['surface'] ?? '') >= 3]).toEqual([mark, true]);
});
