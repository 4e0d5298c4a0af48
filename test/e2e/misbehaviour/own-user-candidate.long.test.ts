import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxMode } from '../../../infra/compute.ts';
import { otherThanPlan, run, type Ran } from '../../cli/support/cli.ts';
import { untilStopped } from '../../support/e2e/slow-task.ts';
import { noRestrictedRoot, withoutNamespaces } from '../../support/machine/without-namespaces.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

/** Tries both servers; as the answering program it tries them again, and prints how often each program reached one. */
const CANDIDATE = `
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
const X = 1.5;
const reach = (port) => new Promise((resolve) => {
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.on('connect', () => { socket.destroy(); resolve('connected'); });
  socket.on('error', (error) => resolve(error.code));
});
const said = [await reach(process.env.TEMPORAL), await reach(process.env.POSTGRES)].join(' ');
const count = (text, wanted) => text.split(' ').filter((word) => word === wanted).length;
if (process.argv[2] === 'answer') {
  process.stdin.once('data', () => {
    const run = readFileSync('said.txt', 'utf8');
    console.log(count(run, 'connected'), count(said, 'connected'), count(said, 'EAFNOSUPPORT'));
    process.exit();
  });
} else {
  console.log(said);
  writeFileSync('said.txt', said);
}
`;

/** Scores −10 for each server that the run reached, −1 for each that answering reached, and −100 for each socket. */
const ASK = `echo go
read -r run answer refused
printf '{"score": %s}' "$((0 - 10 * run - answer - 100 * (2 - refused)))" >&3
`;

interface Row {
  value: number;
  trusted: boolean;
  end: { containment: string; sandboxed: boolean };
  log: string;
}

describe.skipIf(noRestrictedRoot !== undefined)(
  `a candidate if root can make no namespaces ${noRestrictedRoot ?? ''}`,
  () => {
    let stack: TestStack;
    const tasks = {} as Record<SandboxMode, string>;

    beforeAll(async () => {
      stack = await startTestStack();
      for (const sandbox of ['required', 'preferred', 'none'] as const) tasks[sandbox] = await task(sandbox);
    });
    afterAll(() => stack.stop());

    const task = (sandbox: SandboxMode): Promise<string> => {
      const env = {
        TEMPORAL: new URL(`http://${stack.temporalAddress}`).port,
        POSTGRES: new URL(stack.databaseUrl).port,
      };
      const command = 'node candidate.mjs';
      return writeTask(join(stack.home, 'tasks', sandbox), {
        task: {
          name: sandbox,
          mutable: ['candidate.mjs'],
          run: { command, env, sandbox, budget: { seconds: 60, kind: 'wall' }, artefacts: [{ path: 'said.txt' }] },
          evaluator: { type: 'interactive', command: 'sh ask.sh', answer: `${command} answer` },
          knobs: [{ file: 'candidate.mjs', name: 'X', type: 'float', range: [0, 20] }],
        },
        files: { 'workspace/candidate.mjs': CANDIDATE, 'evaluator/ask.sh': ASK },
      });
    };

    const perpetua = (...argv: string[]): Promise<Ran> =>
      run(argv, {
        env: {
          PATH: '/usr/bin:/bin',
          DATABASE_URL: stack.databaseUrl,
          TEMPORAL_ADDRESS: stack.temporalAddress,
          PERPETUA_HOME: stack.home,
        },
        openingTimeoutMs: 100_000,
      });

    /** Starts a research of one trial and waits for its end. */
    async function started(sandbox: SandboxMode, id: string): Promise<{ said: string; baseline: Row | undefined }> {
      const { stdout, stderr, code } = await perpetua('start', tasks[sandbox], '--id', id, '--budget-trials', '1');
      expect({ code, problems: otherThanPlan(stderr) }).toEqual({ code: 0, problems: [] });
      await untilStopped(stack, id);
      const [baseline] = await stack.query<Row>(
        `select value, trusted, runs."end", runs.log_tail as log
       from trials join runs on runs.trial_id = trials.id where research_id = $1 and n = 1`,
        [id],
      );
      return { said: stdout, baseline };
    }

    test('opens no socket to either server with sandbox: required, nor does the program that answers', async () => {
      const worker = await stack.startWorker({ slots: 1, commandPrefix: withoutNamespaces() });
      const { said, baseline } = await started('required', 'closed');
      expect(baseline).toMatchObject({
        value: 0,
        trusted: false,
        log: 'EAFNOSUPPORT EAFNOSUPPORT\n',
        end: { containment: 'uid', sandboxed: false },
      });
      expect(said).toMatch(/^ {2}runs +A run can read all files .* it reaches no network and no server\.$/m);
      await worker.stop();
    });

    describe('and its machine has no perl', () => {
      beforeAll(() => stack.startWorker({ slots: 1, commandPrefix: withoutNamespaces({ perl: false }) }));

      test.each([['start'], ['check']])('is refused by `%s` if it requires a sandbox, with advice', async (verb) => {
        const { code, stderr } = await perpetua(verb, tasks.required);
        expect(code).toBe(verb === 'start' ? 2 : 1);
        expect(stderr).toContain('run.sandbox: required, but no sandbox is available here. A run can reach every');
        expect(stderr).toContain('give root the right CAP_SYS_ADMIN');
        expect(stderr).toContain('install perl');
        expect(stderr).toContain('Or set run.sandbox: preferred');
      });

      test('gets an alert if it prefers a sandbox, and reaches both servers', async () => {
        const { said, baseline } = await started('preferred', 'open');
        expect(baseline).toMatchObject({ value: -222, trusted: false, end: { containment: 'uid', sandboxed: false } });
        expect(said).toMatch(/^ {2}runs +A run can reach every server on this machine\. If Temporal is one of them/m);
        const alerts = await stack.query<{ message: string }>(
          `select message from alerts where research_id = 'open' and message like 'run.sandbox: preferred%'`,
        );
        expect(alerts).toHaveLength(1);
        expect(alerts[0]?.message).toContain('trials are untrusted. A run can reach every server on this machine');
      });

      test('gets no alert if its task asks for no sandbox: start prints what it can reach', async () => {
        const { said } = await started('none', 'asked-for');
        expect(said).toMatch(/^ {2}runs +A run can do all that root can on this machine/m);
        expect(await stack.query(`select message from alerts where research_id = 'asked-for'`)).toEqual([]);
      });
    });
  },
);
