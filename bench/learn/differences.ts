import { mean } from 'simple-statistics';
import { markdownTable } from './markdown.ts';
import { formatEstimate } from './number.ts';
import type { Update } from './read.ts';
import { type Answers, splitGain } from './split.ts';
import { estimate, LISTED, type RepeatResult } from './summary.ts';

/** The answers of the last updates together; null without updates. */
export function lastAnswers(updates: readonly Pick<Update, 'validShare' | 'validMean'>[]): Answers | null {
  const last = updates.slice(-LISTED);
  if (last.length === 0) return null;
  const readShare = mean(last.map(({ validShare }) => validShare));
  const read = mean(last.map(({ validShare, validMean }) => validShare * (validMean ?? 0)));
  return { readShare, readMean: readShare === 0 ? -1 : read / readShare };
}

interface Curve {
  name: string;
  repeats: readonly RepeatResult[];
}

const SOURCES: readonly { name: string; of: (repeat: RepeatResult) => Answers | null }[] = [
  { name: 'last 5', of: ({ updates }) => lastAnswers(updates) },
  { name: 'held out', of: ({ evaluation }) => evaluation },
];

/** A table of the gain over the control, repeat by repeat of the same seed, with its parts. */
export function differenceLines(curves: readonly Curve[], control: Curve): string[] {
  const rows = curves.flatMap(({ name, repeats }) =>
    SOURCES.map(({ name: source, of }) => {
      const splits = repeats.flatMap((repeat) => {
        const same = control.repeats.find(({ seed }) => seed === repeat.seed);
        const [from, to] = [same ? of(same) : null, of(repeat)];
        return from && to ? [splitGain(from, to)] : [];
      });
      if (splits.length === 0) return [name, source, '0', '–', '–', '–'];
      const cells = [
        splits.map(({ form, values }) => form + values),
        splits.map(({ form }) => form),
        splits.map(({ values }) => values),
      ];
      return [name, source, String(splits.length), ...cells.map((parts) => formatEstimate(estimate(parts)))];
    }),
  );
  return markdownTable(['arm', 'measured on', 'seeds', `minus ${control.name}`, 'form', 'values'], rows);
}
