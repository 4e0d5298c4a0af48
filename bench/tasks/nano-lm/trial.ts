import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** The folder of the task, from the root of the repository, where its programs run. */
export const TASK = resolve('tasks/nano-lm');

/** Result of the evaluator, in bits per character; `seen` is the plain mean over the drawn characters. */
export interface Score {
  bpc: number;
  excess: number;
  seen: number;
}

/** The text of files that differ from the unmodified workspace, by path. */
export type Files = Record<string, string>;

/** Copies the workspace with some files replaced. The caller removes the copy. */
export async function copyWorkspace(files: Files = {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'nano-lm-'));
  await cp(join(TASK, 'workspace'), directory, { recursive: true });
  for (const [path, content] of Object.entries(files)) await writeFile(join(directory, path), content);
  return directory;
}

/** Reads the unmodified text of the mutable files. */
export async function mutableFiles(): Promise<Files> {
  const files: Files = {};
  for (const path of ['model.mjs', 'train.mjs']) files[path] = await readFile(join(TASK, 'workspace', path), 'utf8');
  return files;
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((done, failed) => child.on('close', (code) => done(code)).on('error', failed));

/** Trains in a directory. Returns the exit code (null after a signal), stdout, stderr and wall seconds. */
export async function train(directory: string, { seed = 1, budgetSeconds = 3 } = {}) {
  const began = performance.now();
  const env = { ...process.env, PERPETUA_SEED: String(seed), PERPETUA_BUDGET_SECONDS: String(budgetSeconds) };
  const child = spawn('node', ['train.mjs'], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  return { code, output, errors, seconds: (performance.now() - began) / 1000 };
}

/** Runs the evaluator with an answering program over crossed pipes. `score` is null if the evaluator fails. */
export async function evaluate(
  directory: string,
  { seed = 1, answer = 'node answer.mjs', roundSeconds = 10, secret = '' } = {},
) {
  const began = performance.now();
  const env = { ...process.env, PERPETUA_SEED: String(seed), PERPETUA_RESULT_FD: '3', PERPETUA_TASK_SECRET: secret };
  const candidate = spawn('sh', ['-c', `exec ${answer}`], { cwd: directory, stdio: 'pipe' });
  const evaluator = spawn('node', ['evaluate.mjs', String(roundSeconds)], {
    cwd: join(TASK, 'evaluator'),
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [questions, answers] = [evaluator.stdout as NodeJS.ReadableStream, evaluator.stdin as NodeJS.WritableStream];
  // Either side may end first, and the other one then has a broken pipe.
  for (const pipe of [answers, candidate.stdin]) pipe.on('error', () => undefined);
  questions.pipe(candidate.stdin);
  candidate.stdout.pipe(answers);
  const written = text(evaluator.stdio[3] as NodeJS.ReadableStream);
  const errors = text(evaluator.stderr as NodeJS.ReadableStream);
  const candidateErrors = text(candidate.stderr);
  const gone = exitOf(candidate);
  const code = await exitOf(evaluator);
  candidate.kill('SIGKILL');
  await gone;
  const score = code === 0 ? (JSON.parse(await written) as Score) : null;
  const seconds = (performance.now() - began) / 1000;
  return { code, score, errors: await errors, candidateErrors: await candidateErrors, seconds };
}

/** Trains and evaluates with the same seed. A failed run has no score. */
export async function trial(files: Files, seed: number) {
  const directory = await copyWorkspace(files);
  try {
    const run = await train(directory, { seed });
    if (run.code !== 0) return { score: null, trainSeconds: run.seconds, evaluateSeconds: 0 };
    const result = await evaluate(directory, { seed });
    return { score: result.score, trainSeconds: run.seconds, evaluateSeconds: result.seconds };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
