import { asc, eq, sql } from 'drizzle-orm';
import * as schema from '../../../db/schema.ts';
import { isOutsideSearch } from '../../../domain/trial.ts';
import type { Bench } from '../../db/support.ts';

/** The stored nodes of a research, in order. */
export const storedTree = (bench: Bench, researchId: string) =>
  bench.db
    .select()
    .from(schema.nodes)
    .where(eq(schema.nodes.researchId, researchId))
    .orderBy(asc(schema.nodes.seq))
    .then((rows) => rows.map(({ researchId: id, ...rest }) => (id === researchId ? rest : null)));

/** The stored niches of a research. */
export const storedNiches = (bench: Bench, researchId: string) =>
  bench.db
    .select({ key: schema.niches.key, begun: schema.niches.begun, isActive: schema.niches.isActive })
    .from(schema.niches)
    .where(eq(schema.niches.researchId, researchId))
    .orderBy(asc(schema.niches.key));

type Trial = typeof schema.trials.$inferSelect;

/** The niche of a candidate, from its first scored trial and the niche of its parent. */
export type NicheOf = (trial: Trial, node: { seq: number; parentNiche: string | null }) => string | null;

interface Node {
  candidateId: string;
  seq: number;
  parentId: string | null;
  niche: string | null;
  values: number[];
}

/** The tree of a research whose metric is minimised, computed from its trials by the definitions, node by node. */
export async function recomputedTree(bench: Pick<Bench, 'db'>, researchId: string, nicheOf: NicheOf = () => null) {
  const { rows: found } = await bench.db.execute<{ original: string; key: string }>(sql`
    select baseline_candidate as original, metric_key as key from researches
    join task_versions on hash = task_hash where id = ${researchId}`);
  const { original, key } = found[0]!;
  const rows = await bench.db
    .select({ trial: schema.trials, key: schema.taskVersions.metricKey })
    .from(schema.trials)
    .innerJoin(schema.taskVersions, eq(schema.taskVersions.hash, schema.trials.taskHash))
    .where(eq(schema.trials.researchId, researchId));
  const trials = rows.flatMap((row) => (row.key === key && !isOutsideSearch(row.trial) ? [row.trial] : []));
  const scored = trials
    .filter(({ status, candidateId }) => status === 'completed' && candidateId !== null)
    .toSorted((a, b) => a.endedAt!.getTime() - b.endedAt!.getTime() || a.n - b.n);
  const nodes: Node[] = [{ candidateId: original, seq: 0, parentId: null, niche: null, values: [] }];
  const nodeOf = (id: string | null) => nodes.find(({ candidateId }) => candidateId === id);
  for (const trial of scored) {
    const { candidateId, parentId, value } = trial;
    if (!nodeOf(candidateId)) {
      const parent = nodeOf(parentId)?.candidateId ?? original;
      nodes.push({ candidateId: candidateId!, seq: nodes.length, parentId: parent, niche: null, values: [] });
    }
    const node = nodeOf(candidateId)!;
    const parentNiche = nodeOf(node.parentId)?.niche ?? null;
    if (node.values.length === 0) node.niche = nicheOf(trial, { seq: node.seq, parentNiche });
    node.values.push(-value!);
  }
  const children = (node: Node): Node[] => nodes.filter(({ parentId }) => parentId === node.candidateId);
  const branch = (node: Node): Node[] => [node, ...children(node).flatMap(branch)];
  const begun = (node: Node) =>
    trials.filter(({ kind, parentId }) => kind === 'search' && parentId === node.candidateId);
  const mean = ({ values }: Node) => (values.length === 0 ? null : values.reduce((a, b) => a + b) / values.length);
  const largest = (some: Node[]): number | null => {
    const values = some.flatMap((node) => mean(node) ?? []);
    return values.length === 0 ? null : Math.max(...values);
  };
  const depth = ({ parentId }: Node): number => (parentId === null ? 0 : 1 + depth(nodeOf(parentId)!));
  return nodes.map((node) => ({
    candidateId: node.candidateId,
    seq: node.seq,
    parentId: node.parentId,
    depth: depth(node),
    value: mean(node),
    runs: node.values.length,
    below: largest(branch(node).slice(1)),
    best: largest(branch(node)),
    visits: branch(node).flatMap(begun).length,
    inFlight: begun(node).filter(({ status }) => status === null).length,
    niche: node.niche,
  }));
}

type Tree = Awaited<ReturnType<typeof recomputedTree>>;

/** Rounds values: the sums of a mean were added in another order. */
export const rounded = (tree: readonly (Tree[number] | null)[]) =>
  tree.map((node) => node && { ...node, value: round(node.value), below: round(node.below), best: round(node.best) });

const round = (value: number | null): number | null => (value === null ? null : Number(value.toPrecision(10)));
