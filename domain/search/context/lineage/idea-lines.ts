import { promptLine } from '../../../prompt/strip-controls.ts';
import type { KnownIdea } from '../../../prompt/search-facts.ts';
import { numberText } from '../../../text/format.ts';
import { plural } from '../../../text/plural.ts';

/** Characters of an idea on one line. */
const IDEA_CHARACTERS = 160;

/** An idea on one line; the text of its proposer comes last, so that it cannot pass for a fact. */
export function ideaLine({ n, value, runs, hypothesis }: KnownIdea, metric: string): string {
  const name = n === null ? 'the original' : `trial ${n}`;
  const measured = value === null ? 'not measured' : `${metric} ${numberText(value)} (${plural(runs, 'run')})`;
  const idea = promptLine(hypothesis, IDEA_CHARACTERS);
  return `${name}: ${measured}${idea === '' ? '' : `; idea: ${idea}`}`;
}
