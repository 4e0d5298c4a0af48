import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { release, runProcesses, slowTask, untilRunning, untilStopped } from '../../support/e2e/slow-task.ts';
import { throwawayHome } from '../../support/servers.ts';
import { removeTree } from '../../../infra/remove-tree.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

const probe = await throwawayHome();
const { sandboxed, notes } = await createLocalCompute({ home: probe, installation: 'probe' }).protections('required');
await removeTree(probe);

const SECRET = 'held-out-answer-4713';

/** A candidate that tries what is forbidden, and writes one line for each try: reached or refused. */
const CANDIDATE = `
import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
const { POSTGRES, TEMPORAL, EVALUATOR, STATE, NEIGHBOUR, BACKWARDS } = process.env;
const SECRET = BACKWARDS.split('').reverse().join('');
const X = 1.5;

const reach = (port) => new Promise((resolve) => {
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.on('connect', () => { socket.destroy(); resolve(true); });
  socket.on('error', () => resolve(false));
});
// No datagram is sent: connecting the socket only needs a route to the address.
const route = () => new Promise((resolve) => {
  const socket = createSocket('udp4');
  const finish = (found) => { socket.close(); resolve(found); };
  socket.on('connect', () => finish(true));
  socket.on('error', () => finish(false));
  socket.connect(9, '192.0.2.1');
});
const find = (read) => { try { return read().includes(SECRET); } catch { return false; } };
const processes = () => readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
const seen = () => processes().some((pid) => find(() => readFileSync('/proc/' + pid + '/environ', 'utf8')));
const wrote = (path) => { try { writeFileSync(path, 'x'); return true; } catch { return false; } };

const tries = {
  "the worker's environment": seen(),
  "the evaluator's files": find(() => readFileSync(join(EVALUATOR, 'answers.txt'), 'utf8')),
  "a change of the evaluator's files": wrote(join(EVALUATOR, 'changed')),
  'held-out data': find(() => readFileSync(join(EVALUATOR, 'held-out', 'data.txt'), 'utf8')),
  "the installation's state": find(() => readFileSync(join(STATE, 'state.txt'), 'utf8')),
  "another run's directory": find(() => readFileSync(join(NEIGHBOUR, 'secret.txt'), 'utf8')),
  "a change of another run's directory": wrote(join(NEIGHBOUR, 'changed')),
  'Postgres': await reach(POSTGRES),
  'Temporal': await reach(TEMPORAL),
  'the network': Object.values(networkInterfaces()).flat().some(({ internal }) => !internal) || await route(),
};
for (const [what, got] of Object.entries(tries)) console.log(what + ': ' + (got ? 'reached' : 'refused'));
const lines = Object.entries(tries).map(([what, got]) => (got ? 'reached ' : 'refused ') + what + '\\n');
writeFileSync('out.txt', lines.join(''));
`;

/** Tries of {@link CANDIDATE} but one: a pid namespace hides the worker's environment even from an unsandboxed run. */
const TRIES = [
  "the evaluator's files",
  "a change of the evaluator's files",
  'held-out data',
  "the installation's state",
  "another run's directory",
  "a change of another run's directory",
  'Postgres',
  'Temporal',
  'the network',
];

/** Scores −1 for each thing that the candidate reached. */
const SCORER = `n=$(grep -c '^reached' artefacts/out.txt)
printf '{"score": %s}' "$((0 - n))" >&3
`;

interface Tried {
  n: number;
  value: number;
  trusted: boolean;
  sandboxed: boolean;
  output: string;
}
/** Working directory of the first of these processes that is still there. */
function folderOf(pids: readonly number[]): string {
  for (const pid of pids)
    try {
      return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      continue;
    }
  throw new Error('expected a process of the neighbour');
}
const linesOf = ({ output }: Tried): string[] => output.trim().split('\n');

describe.skipIf(!sandboxed)(`a candidate in the sandbox (${notes.join(' ')})`, () => {
  let stack: TestStack;
  let worker: TestWorker;
  let neighbour: string;
  let inside: Tried[];
  let outside: Tried[];

  beforeAll(async () => {
    stack = await startTestStack();
    worker = await stack.startWorker({ slots: 2, env: { OPENAI_API_KEY: SECRET } });
    writeFileSync(join(stack.home, 'state.txt'), SECRET);
    const task = await slowTask(stack, 'neighbour', { held: true });
    await stack.startResearch('neighbour', { task, window: 1, budget: { trials: 1 } });
    await untilRunning(stack, 'neighbour');
    neighbour = folderOf(runProcesses('neighbour'));
    writeFileSync(join(neighbour, 'secret.txt'), SECRET);
    inside = await tries('kept-in', 'required');
    outside = await tries('let-out', 'none');
  });
  afterAll(async () => {
    try {
      release(stack, 'neighbour');
      await untilStopped(stack, 'neighbour');
    } finally {
      await stack.stop();
    }
  });

  /** Runs a research with {@link CANDIDATE} and returns its trials, each with the lines that it wrote. */
  async function tries(id: string, sandbox: 'required' | 'none') {
    const folder = join(stack.home, 'tasks', id);
    mkdirSync(join(folder, 'evaluator', 'held-out'), { recursive: true });
    for (const file of ['answers.txt', 'held-out/data.txt']) writeFileSync(join(folder, 'evaluator', file), SECRET);
    const env = {
      POSTGRES: new URL(stack.databaseUrl).port,
      TEMPORAL: new URL(`http://${stack.temporalAddress}`).port,
      EVALUATOR: join(folder, 'evaluator'),
      STATE: stack.home,
      NEIGHBOUR: neighbour,
      // The candidate must not find the secret in its own environment.
      BACKWARDS: [...SECRET].reverse().join(''),
    };
    const command = 'node candidate.mjs';
    await writeTask(folder, {
      task: {
        name: id,
        mutable: ['candidate.mjs'],
        run: { command, env, sandbox, budget: { seconds: 60, kind: 'wall' }, artefacts: [{ path: 'out.txt' }] },
        search: { parent: 'original', proposer: 'random', window: 1 },
        knobs: [{ file: 'candidate.mjs', name: 'X', type: 'float', range: [0, 20] }],
      },
      files: { 'workspace/candidate.mjs': CANDIDATE, 'evaluator/score.sh': SCORER },
    });
    await stack.startResearch(id, { task: folder, budget: { trials: 1 } });
    await untilStopped(stack, id);
    return stack.query<Tried>(
      `select n, value, trusted, runs."end" -> 'sandboxed' as sandboxed, convert_from(content, 'UTF8') as output
       from trials join runs on runs.trial_id = trials.id
         join artefacts on artefacts.trial_id = trials.id join blobs on blobs.hash = artefacts.blob_hash
       where research_id = $1 order by n`,
      [id],
    );
  }

  test.each(TRIES)('does not reach %s, which it reaches without the sandbox', (what) => {
    expect(inside.map((tried) => linesOf(tried).includes(`refused ${what}`))).toEqual([true, true]);
    for (const tried of outside) expect(linesOf(tried)).toContain(`reached ${what}`);
  });

  test("does not reach the worker's environment, which this test can read", () => {
    expect(inside.map((tried) => linesOf(tried).includes("refused the worker's environment"))).toEqual([true, true]);
    expect(readFileSync(`/proc/${worker.process.pid}/environ`, 'utf8')).toContain(SECRET);
    expect(worker.process.exitCode).toBeNull();
  });

  test('reaches nothing else, and its trials are stored as sandboxed', () => {
    expect(inside.map(({ n, trusted, sandboxed }) => ({ n, trusted, sandboxed }))).toEqual(
      [1, 2].map((n) => ({ n, trusted: true, sandboxed: true })),
    );
    for (const tried of inside) {
      expect(linesOf(tried)).toHaveLength(TRIES.length + 1);
      expect(tried.value).toBe(0);
    }
    // The control: without a sandbox a trial is stored as unsandboxed, and its score counts what it reached.
    const [first] = outside;
    expect(first).toMatchObject({ trusted: false, sandboxed: false });
    expect(first?.value).toBeLessThanOrEqual(-TRIES.length);
  });
});
