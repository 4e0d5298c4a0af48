import { locateKnob } from '../../../edit/knob-edit.ts';
import { setKnobs } from '../../../edit/set-knobs.ts';
import type { Knob } from '../../../knob/knob.ts';
import type { Draw, KnobInput } from '../../proposer.ts';
import { noneReason } from '../turn-knob.ts';
import { axisOf, type Axis } from './axis.ts';
import type { Point } from './even-draw.ts';

/** The knobs that a parent's files set, with their axes. */
export interface Space {
  knobs: readonly Knob[];
  axes: readonly Axis[];
}

/** The space of the knobs in the parent's files. Knobs that another proposer removed from the files are left out. */
export function spaceOf({ knobs, files }: Pick<KnobInput, 'knobs' | 'files'>): Space {
  const present = knobs.filter((knob) => locateKnob(files, knob) !== null);
  return { knobs: present, axes: present.map(axisOf) };
}

/** Sets every knob of the space to the point that `choose` returns. Fails if the files contain no knob. */
export function drawPoint({ knobs, files }: Pick<KnobInput, 'knobs' | 'files'>, choose: (space: Space) => Point): Draw {
  const space = spaceOf({ knobs, files });
  if (space.knobs.length === 0) return { ok: false, reason: noneReason(knobs) };
  const point = choose(space);
  const settings = space.knobs.map((knob, i) => ({ knob, value: space.axes[i]?.value(point[i] ?? 0) ?? null }));
  return setKnobs(settings, files);
}
