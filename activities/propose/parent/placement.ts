import type { Research } from '../../../db/research/research.ts';
import type { TxStore } from '../../../db/store.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';
import { decodeNumber, type EncodedNumber } from '../../../domain/json/number.ts';
import type { KnobValues } from '../../../domain/knob/knob-value.ts';
import type { Placing, StoredNiche } from '../../../domain/search/parent/niche.ts';
import { nichesIn } from '../../../domain/search/parent/niche-rule.ts';
import { choiceIn } from '../../../domain/search/proposer/makers.ts';
import { readKnobs } from '../read-knobs.ts';

/** Candidates whose files are read at once, and those whose stored knobs are. */
const FILES_AT_ONCE = 500;
const STORED_AT_ONCE = 5000;

/** The niches of a research's tree, with the data that they depend on. */
export interface Placement {
  readsMetrics: boolean;
  nicheOf: (placing: Placing) => string | null;
  list: (input: { placed: ReadonlyMap<string, number>; chosen: readonly string[] }) => StoredNiche[];
  /** Values of the task's knobs, stored or else from the candidates' files; empty if the rule reads none. */
  readKnobs: (candidateIds: readonly string[]) => Promise<Readonly<Record<string, KnobValues>>>;
}

/** The niches of a research; null if none of its parent rules has niches. */
export async function placementOf(tx: TxStore, research: Research): Promise<Placement | null> {
  if (research.settings === null) return null;
  const { parent } = research.settings.search;
  const rule = nichesIn({ parent, proposer: choiceIn(research) });
  if (rule === null) return null;
  const { niches, settings } = rule;
  const version = await tx.task.loadTaskVersion(research.taskHash);
  const { knobs } = version.task;
  const reads = niches.reads(settings, knobs);
  return {
    readsMetrics: reads.metrics,
    nicheOf: (placing) => niches.nicheOf(placing, { settings, knobs }),
    list: (input) => niches.list?.(input, settings) ?? listPlaced(input),
    readKnobs: (candidateIds) => (reads.knobs ? knobsOf(tx, { research, version, candidateIds }) : Promise.resolve({})),
  };
}

async function knobsOf(
  tx: TxStore,
  { research, version, candidateIds }: { research: Research; version: TaskVersion; candidateIds: readonly string[] },
): Promise<Record<string, KnobValues>> {
  const values = new Map<string, KnobValues>();
  for (const some of batchesOf(candidateIds, STORED_AT_ONCE)) {
    const key = { researchId: research.id, taskHash: version.hash };
    const stored = await tx.tree.findStoredKnobs({ ...key, candidateIds: some });
    for (const [id, knobs] of stored) values.set(id, knobs);
  }
  const unread = candidateIds.filter((id) => !values.has(id));
  for (const some of batchesOf(unread, FILES_AT_ONCE)) {
    const { read } = await readKnobs(tx, { candidateIds: some, version });
    for (const [id, { knobs }] of Object.entries(read)) values.set(id, knobs);
  }
  return Object.fromEntries(values);
}

const batchesOf = (ids: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, i) => ids.slice(i * size, (i + 1) * size));

const listPlaced = ({ placed }: { placed: ReadonlyMap<string, number> }): StoredNiche[] =>
  [...placed].map(([key, begun]) => ({ key, begun, isActive: true }));

/** Numbers that an evaluator reported. */
export const metricsOf = (metrics: Readonly<Record<string, EncodedNumber>> | null): Record<string, number> =>
  Object.fromEntries(Object.entries(metrics ?? {}).map(([name, value]) => [name, decodeNumber(value)]));
