import { expect, test } from 'vitest';
import { TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

test("the originals of a task are its workspace's mutable files, with their modes", async () => {
  const file = (path: string, executable = false) => ({ path, content: Buffer.from(`text of ${path}`), executable });
  const hashes = { stageHash: 's', immutableHash: 'i', evaluatorHash: 'e', metricKey: 'm' };
  const workspace = [file('data.txt'), file('deep/tool.sh', true), file('train.mjs')];
  const mutablePaths = ['train.mjs', 'deep/tool.sh'];
  const version = { ...hashes, hash: 'with-originals', task: TASK, yaml: '', prompt: null, mutablePaths, workspace };
  // Of the same name, and the evaluator's.
  await bench.store.task.saveTaskVersion({ ...version, evaluatorFiles: [file('train.mjs')] });
  expect(await bench.store.task.loadOriginals('with-originals')).toEqual([
    file('deep/tool.sh', true),
    file('train.mjs'),
  ]);
  expect(await bench.store.task.loadOriginals('unknown')).toEqual([]);
});
