import type { Research } from '../../../db/research/research.ts';
import { setKnobs } from '../../../domain/edit/set-knobs.ts';
import { knobKey } from '../../../domain/knob/knob-value.ts';
import type { Knob } from '../../../domain/knob/knob.ts';
import { type CmaEsSettings, populationOf } from '../../../domain/search/proposer/cma-es.ts';
import { drawInSpace } from '../../../domain/search/proposer/space/draw-in-space.ts';
import { spaceOf } from '../../../domain/search/proposer/space/set-point.ts';
import { noneReason } from '../../../domain/search/proposer/turn-knob.ts';
import type { Failure } from '../../../domain/trial.ts';
import { proposerSeedOf } from '../../../domain/trial/trial-seeds.ts';
import type { AskRequest, NumberRange } from '../../../infra/optimizer.ts';
import { applyDraw } from '../draw/apply-draw.ts';
import type { Proposal, ProposeContext } from '../propose-context.ts';
import { reportEndpointDown } from '../report-endpoint-down.ts';
import { structureOf } from '../structure-of.ts';

/** Copies in a row after which CMA-ES counts as converged, so that it has nothing new. */
const MOST_COPIES = 8;

/**
 * Asks Optuna's CMA-ES for the values of all knobs. Its study consists of the stored scores of this proposer's earlier
 * candidates with the parent's structure, so that a process which died loses nothing.
 */
export async function proposeByCmaEs(
  context: ProposeContext,
  { research, settings }: { research: Research; settings: unknown },
): Promise<Proposal> {
  const { version, files, trial } = context;
  const space = spaceOf({ knobs: version.task.knobs, files });
  if (space.knobs.length === 0) return failed(noneReason(version.task.knobs));
  const asked = await askFor(context, settings as CmaEsSettings);
  if ('label' in asked) return { ok: false, failure: asked };
  const values = await valuesOf(context, research, asked);
  if ('rejected' in values) return { ok: false, failure: values.rejected };
  const set = space.knobs.map((knob, i) => {
    const axis = space.axes[i];
    // Rounded to the digits that other proposers write, and inside the range.
    return { knob, value: axis?.value(axis.position(values[i]) ?? 0) ?? null };
  });
  const input = { knobs: version.task.knobs, files, seed: proposerSeedOf(trial) };
  const drawn = drawInSpace(input, (inside) => setKnobs(set, inside.files));
  if (drawn.ok) return applyDraw(context, drawn);
  if (!isUnchanged(set, context)) return failed(drawn.reason);
  // The values of the parent are a known candidate, whose score counts again.
  return { ok: true, proposed: { files, hypothesis: 'the values of the parent', expectedDelta: null, edits: [] } };
}

const failed = (message: string): Proposal => ({ ok: false, failure: { label: 'proposer-failed', message } });

const isUnchanged = (set: Parameters<typeof setKnobs>[0], { files }: ProposeContext): boolean => {
  const result = setKnobs(set, files);
  return !result.ok && result.label === 'no-change';
};

async function askFor(
  { deps, trial, version, files }: ProposeContext,
  settings: CmaEsSettings,
): Promise<AskRequest | Failure> {
  const { researchId, taskHash } = trial;
  const { knobs, metric } = version.task;
  const structure = structureOf(knobs, files);
  const present = spaceOf({ knobs, files }).knobs;
  const found = await deps.store.trial.findSolutions({
    researchId,
    taskHash,
    proposer: trial.proposer ?? '',
    structure,
  });
  const copies = found.slice(-MOST_COPIES);
  if (copies.length === MOST_COPIES && copies.every(({ isCopy }) => isCopy))
    return { label: 'nothing-new', message: `the last ${MOST_COPIES} proposals of cma-es were known candidates` };
  const solutions = found.flatMap(({ knobs: values, value }): AskRequest['solutions'][number][] => {
    const point = present.map((knob) => values[knobKey(knob)]);
    return point.every((one) => typeof one === 'number') ? [[point, value]] : [];
  });
  return {
    key: `${researchId} ${taskHash} ${structure ?? ''}`,
    knobs: present.map(rangeOf),
    direction: metric.direction,
    population: populationOf(settings, present.length),
    seed: proposerSeedOf(trial),
    solutions,
  };
}

function rangeOf(knob: Knob): NumberRange {
  // `check` and `start` refuse choices.
  if (knob.type === 'choice') throw new Error(`Expected knobs with numbers, got the choice ${knob.name}`);
  return [knob.type, ...knob.range, knob.scale];
}

async function valuesOf(
  context: ProposeContext,
  research: Research,
  request: AskRequest,
): Promise<number[] | { rejected: Failure }> {
  const { deps, trial, signal } = context;
  let values: number[];
  try {
    values = await deps.optimizer.ask(request, signal);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'OptimizerError') throw error;
    const { kind, message } = error as Error & { kind: string };
    if (kind === 'refused') return { rejected: { label: 'proposer-failed', message: `cma-es: ${message}` } };
    return reportEndpointDown(context, research, { what: 'cma-es', message });
  }
  await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: null });
  return values;
}
