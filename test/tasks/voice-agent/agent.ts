// Runs the programs of the task as Perpetua does: the run in a copy of the workspace, the evaluator in a fresh folder.
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const TASK = resolve('tasks/voice-agent');

interface Case {
  name: string;
  value: number;
  text: string;
  heldOut?: boolean;
}
export interface Score {
  success: number;
  booking: number;
  complaint: number;
  edge: number;
  words: number;
  notes: Case[];
}

async function inFolder<T>(source: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'voice-agent-'));
  try {
    await cp(source, folder, { recursive: true });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const node = (cwd: string, program: string, env: Record<string, string> = {}) =>
  spawnSync('node', [program], { cwd, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });

/** Scores an artefact, given as text. */
export const score = (artefact: string, seed = 1): Promise<{ code: number | null; score?: Score; reason: string }> =>
  inFolder(join(TASK, 'evaluator'), async (folder) => {
    await mkdir(join(folder, 'artefacts'));
    await writeFile(join(folder, 'artefacts/agent.json'), artefact);
    const { status, stdout, stderr } = node(folder, 'score.mjs', {
      PERPETUA_SEED: String(seed),
      PERPETUA_RESULT_FD: '1',
    });
    return { code: status, reason: stderr.trim(), ...(status === 0 && { score: JSON.parse(stdout) as Score }) };
  });

/** Runs the workspace with these files in place of its own. Returns the artefact, null if there is none. */
export const run = (
  files: Record<string, string> = {},
): Promise<{ code: number | null; reason: string; artefact: string | null }> =>
  inFolder(join(TASK, 'workspace'), async (folder) => {
    for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
    const { status, stderr } = node(folder, 'run.mjs');
    const artefact = await readFile(join(folder, 'agent.json'), 'utf8').catch(() => null);
    return { code: status, reason: stderr.trim(), artefact };
  });

const textOf = (path: string) => readFile(join(TASK, 'workspace', path), 'utf8');

/** The artefact of the unmodified workspace with another prompt and other settings. */
export async function artefactOf({
  prompt,
  settings = {},
}: {
  prompt?: string;
  settings?: Record<string, string | number>;
}): Promise<string> {
  let text = await textOf('settings.yaml');
  for (const [name, value] of Object.entries(settings))
    text = text.replace(new RegExp(`^${name}: .*$`, 'm'), `${name}: ${value}`);
  return JSON.stringify({ prompt: prompt ?? (await textOf('prompt.txt')), settings: text });
}
