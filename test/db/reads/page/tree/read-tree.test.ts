import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Tree } from '../../../../../dashboard/api/tree.ts';
import { readTree, type TreePage } from '../../../../../db/reads/page/tree/read-tree.ts';
import { createLineageReader } from '../../../../../db/reads/page/tree/lineage-reader.ts';
import { readStatus } from '../../../../../db/reads/read-status.ts';
import { useReader } from '../support.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 600 });
  await seedResearch(db, { id: 'other', trials: 60 });
});

async function treeOf(root?: string, depth = 2): Promise<TreePage> {
  const tree = await readTree(bench.reader, { research: await bench.researchOf('toy'), root, depth });
  if (!tree) throw new Error('Expected a tree, found none');
  return tree;
}

/** The lineage, computed in plain JavaScript: each candidate with the parent of the first trial that ran it. */
async function lineage(): Promise<Map<string, string | null>> {
  const { rows } = await bench.db.execute<{ id: string; parent: string | null }>(sql`
    select candidate_id as id, parent_id as parent from trials
    where research_id = 'toy' and candidate_id is not null order by n`);
  const parents = new Map<string, string | null>();
  for (const { id, parent } of rows) if (!parents.has(id)) parents.set(id, parent === id ? null : parent);
  return parents;
}

function below(parents: Map<string, string | null>, id: string): Set<string> {
  const found = new Set<string>();
  const left = [id];
  for (let at = left.pop(); at !== undefined; at = left.pop())
    for (const [child, parent] of parents)
      if (parent === at && !found.has(child)) {
        left.push(child);
        found.add(child);
      }
  return found;
}

test('without a root the tree has the path from the baseline to the best, each made from the one before', async () => {
  const research = await bench.researchOf('toy');
  const { path, nodes, candidates } = await treeOf();
  const parents = await lineage();
  expect([path[0], path.at(-1)]).toEqual([research.baselineCandidate, research.gate.incumbentId]);
  expect(path.length).toBeGreaterThan(2);
  for (const [index, id] of path.entries()) expect(parents.get(id) ?? null).toBe(path[index - 1] ?? null);
  expect(nodes.map(({ candidateId }) => candidateId)).toEqual(expect.arrayContaining(path));
  expect(candidates).toBe(parents.size);
});

test('kept candidates are shown with their paths, and shown and hidden candidates add up to all', async () => {
  const { nodes, candidates } = await treeOf();
  const ids = new Set(nodes.map(({ candidateId }) => candidateId));
  const { rows } = await bench.db.execute<{ id: string }>(sql`
    select distinct candidate_id as id from trials where research_id = 'toy' and verdict in ('keep', 'confirm')`);
  expect([...ids]).toEqual(expect.arrayContaining(rows.map(({ id }) => id)));
  for (const { parentId } of nodes) expect(parentId === null || ids.has(parentId)).toBe(true);
  expect(nodes.length + nodes.reduce((sum, { hidden }) => sum + hidden, 0)).toBe(candidates);
});

test('a node counts its children and the hidden candidates below it alone', async () => {
  const { nodes } = await treeOf();
  const parents = await lineage();
  const shown = new Set(nodes.map(({ candidateId }) => candidateId));
  for (const node of nodes) {
    const own = [...parents].filter(([, parent]) => parent === node.candidateId).map(([id]) => id);
    const hidden = own.filter((id) => !shown.has(id)).flatMap((id) => [id, ...below(parents, id)]);
    expect([node.children, node.hidden]).toEqual([own.length, new Set(hidden).size]);
  }
});

test('a node has its first trial and the mean of its runs, baseline and best their values on all pages', async () => {
  const { nodes } = await treeOf();
  expect(nodes[0]).toMatchObject({ role: 'baseline', n: 1, parentId: null });
  expect(nodes.filter(({ role }) => role === 'best')).toHaveLength(1);
  const { rows } = await bench.db.execute<{ id: string; n: number; value: number; runs: number }>(sql`
    select candidate_id as id, min(n) as n, avg(value) filter (where status = 'completed') as value,
      count(*)::int as runs
    from trials where research_id = 'toy' group by 1`);
  const known = new Map(rows.map((row) => [row.id, row]));
  const { baseline, best } = await readStatus(bench.reader, { research: await bench.researchOf('toy') });
  for (const { candidateId, n, value, runs, role } of nodes) {
    const row = known.get(candidateId);
    expect([n, runs]).toEqual([row?.n, row?.runs]);
    const onPages = { baseline: baseline?.value, best: best?.value, lead: row?.value, none: row?.value }[role];
    expect(value).toBeCloseTo(onPages ?? NaN, 9);
  }
});

test('a root shows its best children, and below them only the paths to kept candidates', async () => {
  const { path } = await treeOf();
  const root = path[0] ?? '';
  const parents = await lineage();
  const one = await treeOf(root, 1);
  const children = [...parents].filter(([, parent]) => parent === root).map(([id]) => id);
  expect(one.nodes.map(({ candidateId }) => candidateId).sort()).toEqual([root, ...children].sort());
  const three = await treeOf(root, 3);
  const deeper = three.nodes.filter(({ candidateId }) => candidateId !== root && !children.includes(candidateId));
  expect(deeper.length).toBeGreaterThan(0);
  const kept = (await treeOf()).nodes.map(({ candidateId }) => candidateId);
  for (const { candidateId } of deeper) expect(kept).toContain(candidateId);
  const all = below(parents, root).size + 1;
  for (const tree of [one, three])
    expect(tree.nodes.length + tree.nodes.reduce((sum, { hidden }) => sum + hidden, 0)).toBe(all);
});

test('an unknown root has no tree, and every tree matches the contract', async () => {
  const research = await bench.researchOf('toy');
  expect(await readTree(bench.reader, { research, root: 'unknown', depth: 2 })).toBeUndefined();
  for (const tree of [await treeOf(), await treeOf(research.baselineCandidate)]) expect(Tree.parse(tree)).toEqual(tree);
});

test('before its first run the baseline is the only node', async () => {
  const research = await bench.researchOf('other');
  await bench.db.execute(sql`delete from trials where research_id = 'other'`);
  const gate = { ...research.gate, incumbentId: research.baselineCandidate, leadId: research.baselineCandidate };
  expect(await readTree(bench.reader, { research: { ...research, gate }, depth: 2 })).toMatchObject({
    path: [research.baselineCandidate],
    candidates: 0,
    nodes: [{ n: null, runs: 0, value: null, children: 0, hidden: 0, role: 'baseline' }],
  });
});

test('a cached reader reads only new rows, even a late proposal with an older number', async () => {
  await seedResearch(bench.db, { id: 'grows', trials: 30, seed: 3 });
  const readLineage = createLineageReader();
  const read = async (reader = readLineage) => {
    const tree = await readTree(bench.reader, {
      research: await bench.researchOf('grows'),
      root: undefined,
      depth: 2,
      readLineage: reader,
    });
    return { candidates: tree?.candidates, hidden: tree?.nodes.reduce((sum, { hidden }) => sum + hidden, 0) };
  };
  const open = sql`research_id = 'grows' and status is null and candidate_id is null`;
  const before = await read();
  const { rows } = await bench.db.execute(sql`
    with made as (
      update trials set candidate_id = (
          select id from candidates where not exists (
            select 1 from trials others where research_id = 'grows' and candidate_id = candidates.id) limit 1),
        parent_id = (select gate->>'leadId' from researches where id = 'grows')
      where n = (select min(n) from trials where ${open}) and research_id = 'grows' returning n)
    select * from made`);
  expect(rows).toHaveLength(1);
  expect(await read()).toEqual(await read(createLineageReader()));
  expect((await read()).candidates).toBe((before.candidates ?? 0) + 1);
  // The reader does not read the changed old rows again.
  await bench.db.execute(sql`update trials set parent_id = null where research_id = 'grows' and status is not null`);
  expect((await read()).hidden).not.toBe((await read(createLineageReader())).hidden);
});
