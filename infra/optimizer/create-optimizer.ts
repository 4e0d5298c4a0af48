import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { type AskRequest, type Optimizer, OptimizerError } from '../optimizer.ts';
import { killWithParent } from '../process/kill-with-parent.ts';
import { toolEnvironment } from '../trainer/tool-environment.ts';
import { type OptimizerLocation, optimizerPaths } from './optimizer-paths.ts';

/** Time for one answer. The first one includes the start, and all solutions of the research. */
const ANSWER_SECONDS = 300;
/** Characters of the process's errors that a message shows. */
const MOST_SHOWN = 2000;

const Answer = z.union([
  z.object({ id: z.number(), values: z.array(z.number()) }),
  z.object({ id: z.number(), error: z.string() }),
]);

export interface OptimizerOptions extends OptimizerLocation {
  env: Readonly<Record<string, string | undefined>>;
  /** Program in place of the installed one, with its first arguments. */
  program?: readonly [command: string, ...args: string[]];
  answerSeconds?: number;
}

interface Waiting {
  resolve: (values: number[]) => void;
  reject: (error: OptimizerError) => void;
}

interface Running {
  child: ChildProcessWithoutNullStreams;
  waiting: Map<number, Waiting>;
}

/** Creates the process for all researches of a worker. It ends with the worker; a failed one is replaced. */
export function createOptimizer(options: OptimizerOptions): Optimizer {
  let running: Running | null = null;
  let lastId = 0;
  const end = (ended: Running, why: string): void => {
    if (running === ended) running = null;
    ended.child.kill('SIGKILL');
    for (const { reject } of ended.waiting.values()) reject(down(why));
    ended.waiting.clear();
  };
  return {
    ask: async (request, signal) => {
      signal.throwIfAborted();
      running ??= start(options, end);
      const asked = running;
      const id = (lastId += 1);
      const seconds = options.answerSeconds ?? ANSWER_SECONDS;
      const timer = setTimeout(() => end(asked, `gave no answer within ${seconds} s`), seconds * 1000);
      let stop = (): void => undefined;
      try {
        const values = await new Promise<number[]>((resolve, reject) => {
          stop = () => reject(signal.reason as Error);
          signal.addEventListener('abort', stop, { once: true });
          asked.waiting.set(id, { resolve, reject });
          asked.child.stdin.write(`${JSON.stringify({ ...request, id })}\n`);
        });
        return requireValues(values, request);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      }
    },
  };
}

function requireValues(values: number[], { knobs }: AskRequest): number[] {
  if (values.length === knobs.length && values.every(Number.isFinite)) return values;
  throw new OptimizerError(
    `expected ${knobs.length} numbers of the optimizer, got ${JSON.stringify(values)}`,
    'refused',
  );
}

const down = (why: string): OptimizerError => new OptimizerError(`the process of the optimizer ${why}`, 'down');

function start(options: OptimizerOptions, end: (running: Running, why: string) => void): Running {
  const [command, ...args] = options.program ?? installed(options);
  // One thread: the matrices are small.
  const threads = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(command, args, { env: { ...toolEnvironment(options.env), ...threads } });
  const untie = killWithParent(child);
  const running: Running = { child, waiting: new Map() };
  let errors = '';
  child.stderr.on('data', (data: Buffer) => (errors = (errors + data.toString()).slice(-MOST_SHOWN)));
  // A write to a process that has died fails here; `close` reports it.
  child.stdin.on('error', () => undefined);
  child.once('error', (error) => end(running, `cannot start: ${error.message}`));
  child.once('close', (code, signal) => {
    untie();
    end(running, `ended with ${signal ?? `exit code ${code}`}: ${errors.trim()}`);
  });
  createInterface(child.stdout).on('line', (line) => {
    const parsed = parse(line);
    if (parsed === null) return end(running, `expected an answer, wrote ${JSON.stringify(line.slice(0, 200))}`);
    const waiting = running.waiting.get(parsed.id);
    running.waiting.delete(parsed.id);
    if ('values' in parsed) waiting?.resolve(parsed.values);
    else waiting?.reject(new OptimizerError(parsed.error.slice(0, 1000), 'refused'));
  });
  return running;
}

function parse(line: string): z.infer<typeof Answer> | null {
  try {
    return Answer.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

function installed(options: OptimizerOptions): [string, ...string[]] {
  const { python, program, folder } = optimizerPaths(options);
  if (!existsSync(python))
    throw new OptimizerError(
      `expected its environment in ${folder}, found none: npx perpetua optimizer install`,
      'down',
    );
  return [python, program];
}
