import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';

const made: string[] = [];
afterEach(async () => {
  await Promise.all(made.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

/** The smallest possible task. */
export const GOOD = `name: tiny
description: a tiny task
mutable: [main.js]
run:
  command: node main.js
  budget:
    seconds: 2
  artefacts: [{ path: out.json }]
metric:
  name: loss
  direction: minimize
evaluator:
  type: artefact
  command: node score.js
`;

/** Makes a folder with the given files (path to content) over those of the tiny task; null leaves a file out. */
export async function makeTask(files: Record<string, string | Uint8Array | null> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'task-'));
  made.push(folder);
  const all = {
    'task.yaml': GOOD,
    'workspace/main.js': 'const RATE = 0.1;\nconst WIDTH = 8;\nconst KIND = "a";\nconsole.log(RATE, WIDTH, KIND);\n',
    'workspace/data.txt': 'data\n',
    'evaluator/score.js': 'score\n',
    ...files,
  };
  for (const [path, content] of Object.entries(all)) {
    if (content === null) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}
