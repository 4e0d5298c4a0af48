import { expect, test } from 'vitest';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { Tree, TreeQuery } from '../../../../dashboard/api/tree.ts';
import { tree } from '../../../../dashboard/server/routes/tree.ts';
import { useReader } from '../../../db/reads/page/support.ts';
import { ask, asked } from './ask.ts';

const bench = useReader((db) => seedResearch(db, { id: 'wild', trials: 200, hostile: true }));

test('the lineage is what the contract says, whole and below a candidate', async () => {
  const whole = await asked(bench.reader, tree, { input: { id: 'wild' } });
  expect(Tree.parse(whole)).toEqual(whole);
  const root = whole.path[0] ?? '';
  const part = await asked(bench.reader, tree, { input: { id: 'wild', root, depth: '3' } });
  expect(Tree.parse(part)).toEqual(part);
  expect(part.nodes[0]).toMatchObject({ candidateId: root, role: 'baseline' });
});

test('an unknown research or candidate has none; a depth beyond six is refused', async () => {
  expect(await ask(bench.reader, tree, { input: { id: 'nobody' } })).toBeUndefined();
  expect(await ask(bench.reader, tree, { input: { id: 'wild', root: 'nothing' } })).toBeUndefined();
  for (const depth of ['0', '7', 'deep', '1.5']) expect(TreeQuery.safeParse({ depth }).success).toBe(false);
});
