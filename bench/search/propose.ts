import { applyEdits } from '../../domain/edit/apply-edits.ts';
import type { Knob } from '../../domain/knob/knob.ts';
import { asSettings } from '../../domain/method/axis.ts';
import type { ProposerChoice } from '../../domain/search/mixture/arm.ts';
import type { Draw, KnobInput } from '../../domain/search/proposer.ts';
import { drawInSpace, otherDrawsInSpace } from '../../domain/search/proposer/space/draw-in-space.ts';
import { makerOf } from '../../domain/search/proposer/makers.ts';
import { hashToSeed } from '../../domain/trial/seed.ts';
import { type Candidate, candidateOf, idOf, type Measured, observationsOf } from './observed.ts';
import { type ParentChoice, parentOf } from './parent.ts';

/** Draws for one proposal, as in activities/propose/draw/by-draw.ts. */
const DRAWS = 8;

export interface Search {
  knobs: readonly Knob[];
  choice: ProposerChoice;
  parent: ParentChoice;
  /** In the order of their outcomes, the original first. */
  measured: readonly Measured[];
  inFlight: readonly Candidate[];
  /** Key of the trial's seeds. */
  key: string;
}

export interface Proposed {
  candidate: Candidate;
  /** CPU milliseconds of the draws. */
  cpuMs: number;
}

/** A new candidate as the product proposes it (activities/propose/begin.ts and draw/by-draw.ts), without a database. */
export function propose(search: Search): Proposed {
  const { knobs, measured, inFlight, key } = search;
  const { method, settings, name } = makerOf(search.choice);
  const { draw } = method;
  if (draw === undefined) throw new Error(`expected a proposer that draws, got ${name}`);
  const observations = observationsOf(search, method.observes);
  const { id: parent, files, structure } = parentOf(search);
  const input = { knobs, files, seed: hashToSeed(key) };
  const known = new Set([...measured, ...inFlight].map(({ id }) => id));
  const before = process.cpuUsage();
  const found = firstNew(input, known, (one) => draw({ ...one, observations, structure }, asSettings(settings)));
  const { user, system } = process.cpuUsage(before);
  if (found === null) throw new Error(`expected a new candidate of ${name}, every value of the knobs has been tried`);
  return { candidate: candidateOf(found, { knobs, proposer: name, parent }), cpuMs: (user + system) / 1000 };
}

/** The files of the first new candidate among the draws, else among other values of the knobs; null if none is new. */
function firstNew(
  input: KnobInput,
  known: ReadonlySet<string>,
  draw: (input: KnobInput) => Draw,
): Record<string, string> | null {
  const newFiles = (drawn: Draw): Record<string, string> | null => {
    const applied = drawn.ok ? applyEdits(input.files, drawn.edits, Object.keys(input.files)) : null;
    return applied?.ok === true && !known.has(idOf(applied.files)) ? applied.files : null;
  };
  for (let i = 0; i < DRAWS; i += 1) {
    const seed = i === 0 ? input.seed : hashToSeed(`${input.seed}/${i}`);
    const files = newFiles(drawInSpace({ ...input, seed }, draw));
    if (files !== null) return files;
  }
  for (const drawn of otherDrawsInSpace(input)) {
    const files = newFiles(drawn);
    if (files !== null) return files;
  }
  return null;
}
