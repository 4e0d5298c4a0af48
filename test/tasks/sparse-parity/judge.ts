// Runs the programs of the task as Perpetua does: the evaluator in a fresh folder, with an artefact.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const TASK = resolve('tasks/sparse-parity');

export interface Judged {
  code: number;
  score?: { cost: number; reads: number; steps: number };
  reason: string;
}

/** Scores a text of a program. */
export async function judge(text: string | Uint8Array, seed = 1): Promise<Judged> {
  const folder = await mkdtemp(join(tmpdir(), 'sparse-parity-'));
  try {
    await cp(join(TASK, 'evaluator'), folder, { recursive: true });
    await mkdir(join(folder, 'artefacts'));
    await writeFile(join(folder, 'artefacts/program.txt'), text);
    return await python(folder, 'score.py', seed);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs a program of the task in a folder, with the result on stdout. */
export const python = (cwd: string, program: string, seed: number): Promise<Judged> =>
  new Promise((done) => {
    const env = { PATH: process.env.PATH, PERPETUA_SEED: String(seed), PERPETUA_RESULT_FD: '1' };
    execFile('python3', ['-B', program], { cwd, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      done({ code, reason: stderr.trim(), ...(code === 0 && stdout.startsWith('{') && { score: JSON.parse(stdout) }) });
    });
  });

/** The unmodified program with other values of its constants. */
export async function withKnobs(values: Record<string, number>): Promise<string> {
  let text = await readFile(join(TASK, 'workspace/solve.py'), 'utf8');
  for (const [name, value] of Object.entries(values))
    text = text.replace(new RegExp(`^${name} = .*$`, 'm'), `${name} = ${value}`);
  return text;
}
