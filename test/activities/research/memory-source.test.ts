import { expect, test } from 'vitest';
import { memorySource, requireSameBeginning } from '../../../activities/research/memory-source.ts';
import { memories } from '../../../db/schema.ts';
import { Task } from '../../../domain/task/task.ts';
import { BASELINE, CONFIG, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const KEEPING = Task.parse({ ...TASK, search: { context: { name: 'history', memory: true } } });

test('a research begins with the latest memory of another one, in the transaction that creates it', async () => {
  await insertResearch(bench.db, 'source');
  for (const text of ['old', 'new']) await bench.db.insert(memories).values({ researchId: 'source', text });
  const create = () =>
    bench.store.research.createResearch({
      id: 'copy',
      taskHash: 'task-1',
      proposer: 'llm',
      overrides: {},
      settings: {} as never,
      settingsHash: 'h',
      seedRoot: 'copy',
      budget: TASK.budget,
      gateConfig: CONFIG,
      gate: openGate(CONFIG, BASELINE).state,
      baseline: { id: BASELINE, immutableHash: 'i', files: { 'train.mjs': 'const LR = 0.1;\n' } },
      wanted: [],
      memoryFrom: 'source',
    });
  await create();
  await create();
  expect(await bench.store.trial.findMemory('copy')).toEqual({ text: 'new', n: null });
  expect(await bench.db.$count(memories)).toBe(3);
  const known = await bench.store.research.findResearch('copy');
  if (!known) return expect.unreachable();
  await requireSameBeginning(bench, known, { memoryFrom: 'source' });
  await expect(requireSameBeginning(bench, known, { memoryFrom: 'other' })).rejects.toThrow(
    'input: memoryFrom: expected "source", with which research copy began; got "other"',
  );
});

test('a start names a research that has a memory, for models that keep one', async () => {
  expect(await memorySource(bench, {}, TASK)).toBeNull();
  expect(await memorySource(bench, { memoryFrom: 'source' }, KEEPING)).toBe('source');
  await expect(memorySource(bench, { memoryFrom: 'source' }, TASK)).rejects.toThrow(
    /search\.context=\{name: history, memory: true\}/,
  );
  await expect(memorySource(bench, { memoryFrom: 'nobody' }, KEEPING)).rejects.toThrow(
    'input: memoryFrom: expected a research with a memory, got "nobody", which has none',
  );
});
