import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { attemptOf, layoutOf, runDirectory } from '../../../../infra/compute/run-protocol/paths.ts';
import { followToEnd, specOf } from '../conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-converse-'));
afterAll(() => rmSync(home, { recursive: true }));

/**
 * Script in place of the supervisor. It takes the claim, as a stop before the start does, and exits half a second
 * before it writes the end.
 */
const FORBIDS = `mkdir "$1/claim" || exit
{
  sleep 0.5
  printf '%s' '{"reason":"stopped","code":143,"startedAt":"2026-01-01T00:00:00Z","wallCs":0,"user":"0m0s",' \\
    '"system":"0m0s","maxRssKb":0,"ticks":0,"containment":"process-group","sandboxed":0,"treeGone":true}' \\
    >"$1/ended.tmp"
  mv "$1/ended.tmp" "$1/ended.json"
} </dev/null >/dev/null 2>&1 3<&- &
`;

test('a conversation whose folder could not be made leaves no part of the folder', async () => {
  const compute = createLocalCompute({ home, installation: 'half' });
  await compute.stage('stage1', [{ path: 'folder/file', content: Buffer.from('') }]);
  const spec = specOf('true');
  await compute.launch(spec);
  await followToEnd(compute, spec);
  const files = [{ path: 'folder/file/in', content: Buffer.from('') }];
  await expect(compute.converse({ ...spec, files, command: 'true' })).rejects.toThrow(/is not a folder/);
  const { directory } = attemptOf(runDirectory(layoutOf(home, 'half'), spec), spec.fence);
  expect((await readdir(directory)).filter((name) => name.startsWith('talk-'))).toEqual([]);
});

test('a conversation stopped before its start ends as stopped, though its supervisor exits before', async () => {
  const compute = createLocalCompute({ home, installation: 'forbidden' });
  await compute.stage('stage1', []);
  const spec = specOf('true');
  await compute.launch(spec);
  await followToEnd(compute, spec);
  await writeFile(await supervisor(), FORBIDS);
  const talk = await compute.converse({ ...spec, command: 'true' });
  expect(await talk.ended).toMatchObject({ reason: 'killed', endedBy: 'stop' });
});

async function supervisor(): Promise<string> {
  const names = await readdir(home, { recursive: true });
  return join(home, names.find((name) => /supervisor[^/]*\.sh$/.test(name)) ?? 'none');
}
