/**
 * Measures how busy coding agents keep the slots: 16 scripted agents, each with 5 calls of 1 s, propose for 8 slots
 * with runs that sleep for 10 s.
 *   npx tsx bench/agents/slots.ts [proposals=120]
 * The bench needs a build (npm run build). Run it on a quiet machine: each proposal and each run starts a dozen
 * processes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { printTable } from '../support/table.ts';
import { writeTask } from '../support/tasks.ts';

const PROPOSALS = Number(process.argv[2] ?? 120);
const SLOTS = 8;
const AGENTS = 16;
const RUN_SECONDS = 10;
/** Commands of an agent before its last message: each is a call, and so is the message. */
const TURNS = 4;
const CALL_MS = 1000;

const SUPPORT = fileURLToPath(new URL('../../test/support/agents/', import.meta.url));

async function startEndpoint(): Promise<{ child: ChildProcess; url: string }> {
  const script = { STUB_WAIT: String(CALL_MS), STUB_TURNS: String(TURNS), STUB_EDIT: 'echo X=6.{call} >knobs.env' };
  const child = spawn(process.execPath, [join(SUPPORT, 'scripted-endpoint.mjs'), '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...script },
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { child, url: `${line.trim().replace(/^.* at /, '')}/v1` };
}

/**
 * Share of the slots' time in which a run was under way, and in which a slot was leased, from the moment at which all
 * slots had a run to the last launch.
 */
const SHARES = `
  with placed as (
    select runs.launched_at, coalesce(runs.ended_at, now()) as ended_at, trials.slot_wait_seconds as free
    from runs join trials on trials.id = runs.trial_id where trials.research_id = 'slots'),
  ends as (
    select (select launched_at from placed order by launched_at offset ${SLOTS - 1} limit 1) as first,
      max(launched_at) as last from placed)
  select extract(epoch from last - first)::float8 as seconds, count(*)::int as runs,
    sum(extract(epoch from least(ended_at, last) - greatest(launched_at, first)))
        filter (where ended_at > first)::float8
      / (${SLOTS} * extract(epoch from last - first))::float8 as running,
    1 - sum(free) filter (where launched_at > first)::float8
      / (${SLOTS} * extract(epoch from last - first))::float8 as leased
  from placed, ends group by first, last`;

async function measure(stack: TestStack, { program, url }: { program: string; url: string }): Promise<void> {
  const folder = join(program, '..');
  const agent = { protocol: 'chat', command: `exec node ${program}`, readable: [folder] };
  const task = await writeTask(join(stack.home, 'tasks/slots'), {
    task: {
      name: 'slots',
      run: {
        command: 'sh run.sh',
        budget: { seconds: 10 * RUN_SECONDS, kind: 'wall' },
        artefacts: [{ path: 'out.txt' }],
        sandbox: 'preferred',
      },
      search: { parent: 'original', proposer: { name: 'command', agent } as never, window: SLOTS + AGENTS },
      keep: { policy: 'strict', baselineRuns: 1 },
    },
    files: { 'workspace/run.sh': `. ./knobs.env\nsleep ${RUN_SECONDS}\necho "$X" > out.txt\n` },
  });
  const env = {
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: 'none',
    OPENAI_MODEL: 'scripted',
    PERPETUA_AGENTS: String(AGENTS),
  };
  await stack.startWorker({ slots: SLOTS, env });
  const load = loadavg()[0] ?? 0;
  await stack.startResearch('slots', { task, budget: { proposals: PROPOSALS }, tempo: 1 });
  await stack.client.workflow.getHandle('slots').result();
  const [shares] = await stack.query<{ seconds: number; runs: number; running: number; leased: number }>(SHARES);
  if (shares === undefined) throw new Error('expected runs of the research, found none');
  printTable(
    `${SLOTS} slots with runs of ${RUN_SECONDS} s, ${AGENTS} agents of ${TURNS + 1} calls of ${CALL_MS / 1000} s`,
    ['runs', 'seconds', 'slots leased, %', 'slots running, %', 'CPUs', 'load before', 'load after'],
    [
      [
        shares.runs,
        Math.round(shares.seconds),
        100 * shares.leased,
        100 * shares.running,
        availableParallelism(),
        load,
        loadavg()[0] ?? 0,
      ],
    ],
  );
}

const folder = await mkdtemp(join(tmpdir(), 'perpetua-bench-agents-'));
const stack = await startTestStack();
const endpoint = await startEndpoint();
try {
  await chmod(folder, 0o755);
  const program = join(folder, 'agent.mjs');
  await copyFile(join(SUPPORT, 'scripted-agent.mjs'), program);
  await measure(stack, { program, url: endpoint.url });
} finally {
  endpoint.child.kill();
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
}
