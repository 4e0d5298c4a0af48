import { locateKnob } from '../edit/knob-edit.ts';
import { isInSpace } from '../knob/in-space.ts';
import { shownValue } from '../knob/knob-form.ts';
import type { Knob } from '../knob/knob.ts';
import { choiceIn, knownFacts } from './proposer/makers.ts';
import { listNames } from '../text/list-names.ts';
import { oneLine } from '../text/sanitize.ts';

/** Most characters of a literal that a text shows. */
const MOST_SHOWN = 40;

/**
 * True if the proposals of a research have to lie inside the search space. A proposer that needs no knobs is free to
 * leave it, so that neither a message nor a mark is due for a claim outside.
 */
export const staysInSpace = (research: Parameters<typeof choiceIn>[0]): boolean =>
  knownFacts(choiceIn(research))?.needs.includes('knobs') ?? false;

/**
 * Knobs whose values in the files (path to text) lie outside the search space, each with its value and those that are
 * allowed. A knob that the files do not set to a literal counts as inside: no proposal turns it.
 */
export const outsideSpace = (knobs: readonly Knob[], files: Readonly<Record<string, string>>): string[] =>
  knobs.flatMap((knob) => {
    const location = locateKnob(files, knob);
    if (location === null || isInSpace(knob, location.value)) return [];
    const literal = oneLine(location.at.raw);
    const shown = literal.length > MOST_SHOWN ? `${literal.slice(0, MOST_SHOWN)}…` : literal;
    return [`${knob.name} = ${shown} (allowed: ${allowed(knob)})`];
  });

function allowed(knob: Knob): string {
  if (knob.type === 'choice') return listNames(knob.values.map((value) => shownValue(value, knob)));
  const [low, high] = knob.range;
  return `${knob.type === 'int' ? 'whole numbers from ' : ''}${low} to ${high}`;
}

/** Candidates of a research with the knobs by which each lies outside its search space. */
export interface OutsideCandidates {
  /** The incumbent: a claim, or the unmodified version. */
  claim: readonly string[];
  lead: readonly string[];
  /** True if lead and claim are one candidate. */
  isOne: boolean;
  /** True if the incumbent is the unmodified version. */
  isUnmodified: boolean;
  /** The command that drops the claim; null if there is no claim. */
  drop: string | null;
}

/** Knobs that a message names. */
const MOST_KNOBS = 5;

/** Describes the lead and the claim that a new search space excludes; undefined if it excludes neither. */
export function describeOutside({ claim, lead, isOne, isUnmodified, drop }: OutsideCandidates): string | undefined {
  const name = isUnmodified ? 'The unmodified version' : 'The claim';
  const sentences: string[] = [];
  if (!isOne && lead.length > 0) sentences.push(outsideSentence('The lead', lead));
  if (claim.length > 0) sentences.push(outsideSentence(isOne ? `${name}, which is also the lead,` : name, claim));
  if (sentences.length === 0) return undefined;
  sentences.push('From now on, all proposals that turn knobs lie inside the space');
  const stays = 'It stays until a better candidate replaces it, and the search compares with it';
  sentences.push(claim.length > 0 && drop !== null ? `${stays}. To drop the claim: ${drop}` : stays);
  return sentences.join('. ');
}

function outsideSentence(subject: string, knobs: readonly string[]): string {
  const more = knobs.length > MOST_KNOBS ? ` and ${knobs.length - MOST_KNOBS} more` : '';
  return `${subject} lies outside the new search space: ${knobs.slice(0, MOST_KNOBS).join(', ')}${more}`;
}
